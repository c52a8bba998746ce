import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { Prefetched, trpc } from "@/app/trpc-server";
import { Guarded } from "@/components/frame/guarded";
import { Organizations } from "@/components/settings/organizations";
import { loadList } from "@/components/ui/list-params";

export const metadata: Metadata = { title: "Organizations" };

export default async function OrganizationsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { page, search } = await loadList(searchParams);
  return (
    <Prefetched queries={[trpc.organizations.list.queryOptions({ page, search })]}>
      <Guarded permission="organizations:manage" title="Organizations" what="the organizations">
        <Organizations />
      </Guarded>
    </Prefetched>
  );
}
