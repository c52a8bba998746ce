import type { Metadata } from "next";
import { fetchOrNull, idIn, Prefetched, trpc } from "@/app/trpc-server";
import { Guarded } from "@/components/frame/guarded";
import { OrganizationPage } from "@/components/organizations/organization-page";
import { organizationQuery } from "@/components/organizations/organizations-query";
import type { OverviewPage } from "@/server/organizations/overview/schema";

type Props = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const id = await idIn(params);
  const found = await fetchOrNull<OverviewPage>(organizationQuery(trpc, id));
  return { title: found?.data[0]?.name ?? "Organization" };
}

export default async function OrganizationRoute({ params }: Props) {
  const id = await idIn(params);
  return (
    <Prefetched queries={[organizationQuery(trpc, id)]}>
      <Guarded permission="audit:read" title="Organization" what="this organization">
        <OrganizationPage id={id} />
      </Guarded>
    </Prefetched>
  );
}
