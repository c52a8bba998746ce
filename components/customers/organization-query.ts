import type { useTRPC } from "@/components/trpc";

/** Query options of one organization's overview. */
export const organizationQuery = (trpc: Pick<ReturnType<typeof useTRPC>, "organizations">, orgId: string) =>
  trpc.organizations.overview.queryOptions({ orgId });
