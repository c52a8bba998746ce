import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { Prefetched, trpc } from "@/app/trpc-server";
import { CustomFields } from "@/components/custom-fields/custom-fields";
import { loadList } from "@/components/ui/list-params";

export const metadata: Metadata = { title: "Custom fields" };

export default async function CustomFieldsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { orgId } = await loadList(searchParams);
  return (
    <Prefetched queries={[trpc.customFields.list.queryOptions({ orgId })]}>
      <CustomFields />
    </Prefetched>
  );
}
