import type { useTRPC } from "@/components/trpc";
import { MAX_OVERVIEW_LIMIT, type Shown, type Sort } from "@/server/organizations/overview/schema";

type Trpc = Pick<ReturnType<typeof useTRPC>, "organizations">;
type OrganizationsInput = { search?: string; show?: Shown[]; sort?: Sort; order?: "asc" | "desc" };

export const organizationQuery = (trpc: Trpc, orgId: string) => trpc.organizations.overview.queryOptions({ orgId });

/**
 * The first page, which holds all organizations of most partners; the browser then searches and sorts without the
 * server.
 */
export const organizationsQuery = (trpc: Trpc, input: OrganizationsInput = {}) =>
  trpc.organizations.overview.queryOptions({ limit: MAX_OVERVIEW_LIMIT, ...input });
