import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { Prefetched, trpc } from "@/app/trpc-server";
import { Guarded } from "@/components/frame/guarded";
import { StreamsPage } from "@/components/streams/streams-page";
import { loadList } from "@/components/ui/list-params";

export const metadata: Metadata = { title: "Data streams" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { page, orgId } = await loadList(searchParams);
  return (
    <Prefetched queries={[trpc.streams.list.queryOptions({ page, orgId })]}>
      <Guarded permission="streams:manage" title="Data streams" what="the data streams">
        <StreamsPage />
      </Guarded>
    </Prefetched>
  );
}
