import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { chosenOrg } from "@/app/chosen-org";
import { Prefetched, trpc } from "@/app/trpc-server";
import { RetentionPage } from "@/components/retention/retention-page";

export const metadata: Metadata = { title: "Retention" };

export default async function RetentionRoute({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const id = await chosenOrg(searchParams);
  const queries = id
    ? [trpc.retention.get.queryOptions({ id }), trpc.organizations.overview.queryOptions({ orgId: id })]
    : [];
  return (
    <Prefetched queries={queries}>
      <RetentionPage />
    </Prefetched>
  );
}
