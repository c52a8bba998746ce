import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { Prefetched, trpc } from "@/app/trpc-server";
import { Guarded } from "@/components/frame/guarded";
import { Users } from "@/components/settings/users";
import { loadList } from "@/components/ui/list-params";

export const metadata: Metadata = { title: "Users" };

export default async function UsersPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { page, search, orgId } = await loadList(searchParams);
  return (
    <Prefetched queries={[trpc.users.list.queryOptions({ page, search, orgId })]}>
      <Guarded permission="users:manage" title="Users" what="the users">
        <Users />
      </Guarded>
    </Prefetched>
  );
}
