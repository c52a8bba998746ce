import type { useTRPC } from "@/components/trpc";
import { MAX_OVERVIEW_LIMIT, type Shown, type Sort } from "@/server/organizations/overview/schema";

type CustomersInput = { search?: string; show?: Shown[]; sort?: Sort; order?: "asc" | "desc" };

/** One page of organizations, which holds all of them for most partners; the browser searches and sorts it without the server. */
export const customersQuery = (trpc: Pick<ReturnType<typeof useTRPC>, "organizations">, input: CustomersInput = {}) =>
  trpc.organizations.overview.queryOptions({ limit: MAX_OVERVIEW_LIMIT, ...input });
