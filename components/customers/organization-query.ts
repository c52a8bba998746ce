import type { useTRPC } from "@/components/trpc";

/** The overview of one organization. */
export const organizationQuery = (trpc: Pick<ReturnType<typeof useTRPC>, "organizations">, orgId: string) =>
  trpc.organizations.overview.queryOptions({ orgId });
