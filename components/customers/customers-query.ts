import type { useTRPC } from "@/components/trpc";
import { MAX_OVERVIEW_LIMIT, type Shown, type Sort } from "@/server/organizations/overview/schema";

type CustomersInput = { search?: string; show?: Shown[]; sort?: Sort; order?: "asc" | "desc" };

/** One page of organizations, which most partners' are all of; the browser searches and sorts it by itself. */
export const customersQuery = (trpc: Pick<ReturnType<typeof useTRPC>, "organizations">, input: CustomersInput = {}) =>
  trpc.organizations.overview.queryOptions({ limit: MAX_OVERVIEW_LIMIT, ...input });
