import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { Prefetched, trpc } from "@/app/trpc-server";
import { Guarded } from "@/components/frame/guarded";
import { ApiKeys } from "@/components/settings/api-keys";
import { loadList } from "@/components/ui/list-params";

export const metadata: Metadata = { title: "API keys" };

export default async function ApiKeysPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { page, orgId } = await loadList(searchParams);
  return (
    <Prefetched queries={[trpc.apiKeys.list.queryOptions({ page, orgId })]}>
      <Guarded permission="api_keys:manage" title="API keys" what="the API keys">
        <ApiKeys />
      </Guarded>
    </Prefetched>
  );
}
