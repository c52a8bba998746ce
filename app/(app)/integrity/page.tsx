import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { chosenOrg } from "@/app/chosen-org";
import { Prefetched, trpc } from "@/app/trpc-server";
import { IntegrityPage } from "@/components/integrity/integrity-page";
import { SHOWN_CHECKPOINTS } from "@/components/integrity/shown";

export const metadata: Metadata = { title: "Integrity" };

export default async function IntegrityRoute({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const orgId = await chosenOrg(searchParams);
  return (
    <Prefetched
      queries={
        orgId
          ? [
              trpc.integrity.status.queryOptions({ orgId }),
              trpc.integrity.checkpoints.queryOptions({ orgId, limit: SHOWN_CHECKPOINTS }),
            ]
          : []
      }
    >
      <IntegrityPage />
    </Prefetched>
  );
}
