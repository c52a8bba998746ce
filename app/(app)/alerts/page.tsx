import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { Prefetched, trpc } from "@/app/trpc-server";
import { AlertsPage } from "@/components/detections/alerts-page";
import { Guarded } from "@/components/frame/guarded";
import { loadList } from "@/components/ui/list-params";

export const metadata: Metadata = { title: "Alerts" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { page, orgId } = await loadList(searchParams);
  return (
    <Prefetched queries={[trpc.detections.alerts.queryOptions({ page, orgId, state: undefined })]}>
      <Guarded permission="audit:read" title="Alerts" what="the alerts">
        <AlertsPage />
      </Guarded>
    </Prefetched>
  );
}
