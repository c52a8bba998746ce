import type { useTRPC } from "@/components/trpc";
import { MAX_OVERVIEW_LIMIT, type Shown, type Sort } from "@/server/organizations/overview/schema";

type CustomersInput = { search?: string; show?: Shown[]; sort?: Sort; order?: "asc" | "desc" };

/**
 * The first page, which holds all organizations of most partners; the browser then searches and sorts without the
 * server.
 */
export const customersQuery = (trpc: Pick<ReturnType<typeof useTRPC>, "organizations">, input: CustomersInput = {}) =>
  trpc.organizations.overview.queryOptions({ limit: MAX_OVERVIEW_LIMIT, ...input });
