import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { Prefetched, trpc } from "@/app/trpc-server";
import { RulesPage } from "@/components/detections/rules-page";
import { Guarded } from "@/components/frame/guarded";
import { loadList } from "@/components/ui/list-params";

export const metadata: Metadata = { title: "Detection rules" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { page, orgId } = await loadList(searchParams);
  return (
    <Prefetched queries={[trpc.detections.rules.queryOptions({ page, orgId })]}>
      <Guarded permission="audit:read" title="Detection rules" what="the detection rules">
        <RulesPage />
      </Guarded>
    </Prefetched>
  );
}
