import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { Prefetched, trpc } from "@/app/trpc-server";
import { ArchivedPage } from "@/components/archive/archived-page";
import { Guarded } from "@/components/frame/guarded";
import { loadList } from "@/components/ui/list-params";

export const metadata: Metadata = { title: "Archived" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { page, orgId } = await loadList(searchParams);
  return (
    <Prefetched
      queries={[trpc.archive.objects.queryOptions({ page, orgId }), trpc.archive.restorations.queryOptions({ orgId })]}
    >
      <Guarded permission="audit:read" title="Archived" what="archived entries">
        <ArchivedPage />
      </Guarded>
    </Prefetched>
  );
}
