import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { fetchOrNull, Prefetched, trpc } from "@/app/trpc-server";
import { Guarded } from "@/components/frame/guarded";
import { Users } from "@/components/settings/users";
import { loadList } from "@/components/ui/list-params";
import type { Me } from "@/server/identity/me/schema";

export const metadata: Metadata = { title: "Users" };

export default async function UsersPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { page, search, orgId } = await loadList(searchParams);
  const me = await fetchOrNull<Me>(trpc.me.get.queryOptions());
  return (
    <Prefetched
      queries={[
        trpc.users.list.queryOptions({ page, search, orgId }),
        ...(me?.allOrganizations ? [trpc.organizations.partnerPolicy.queryOptions({})] : []),
      ]}
    >
      <Guarded permission="users:manage" title="Users" what="the users">
        <Users />
      </Guarded>
    </Prefetched>
  );
}
