import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { fetchOrNull, Prefetched, trpc } from "@/app/trpc-server";
import { StartPanel } from "@/components/checklist/start-panel";
import { Guarded } from "@/components/frame/guarded";
import { Organizations } from "@/components/settings/organizations";
import { loadList } from "@/components/ui/list-params";
import type { Me } from "@/server/identity/me/schema";

export const metadata: Metadata = { title: "Organizations" };

export default async function OrganizationsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { page, search } = await loadList(searchParams);
  const me = await fetchOrNull<Me>(trpc.me.get.queryOptions());
  return (
    <Prefetched
      queries={[
        trpc.setup.checklist.queryOptions(),
        trpc.organizations.list.queryOptions({ page, search }),
        ...(me?.allOrganizations ? [trpc.organizations.partnerPolicy.queryOptions({})] : []),
      ]}
    >
      <StartPanel />
      <Guarded permission="organizations:manage" title="Organizations" what="the organizations">
        <Organizations />
      </Guarded>
    </Prefetched>
  );
}
