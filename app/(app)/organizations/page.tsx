import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { TodayStrip } from "@/app/(app)/today-strip";
import { fetchOrNull, Prefetched, trpc } from "@/app/trpc-server";
import { Guarded } from "@/components/frame/guarded";
import { OrganizationsPage } from "@/components/organizations/organizations-page";
import { organizationsQuery } from "@/components/organizations/organizations-query";

export const metadata: Metadata = { title: "Organizations" };

/** People of one organization get its page. */
export default async function OrganizationsRoute() {
  const me = await fetchOrNull<{ scope: string; homeOrgId: string | null }>(trpc.me.get.queryOptions());
  if (me?.scope === "organization") redirect(`/organizations/${me.homeOrgId}`);
  return (
    <Prefetched queries={[organizationsQuery(trpc)]}>
      <TodayStrip />
      <Guarded permission="audit:read" title="Organizations" what="the organizations">
        <OrganizationsPage />
      </Guarded>
    </Prefetched>
  );
}
