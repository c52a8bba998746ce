import { keepPreviousData } from "@tanstack/react-query";
import { ALONE, type Outputs, type useTRPC } from "@/components/trpc";
import { type FacetName, FILTER_NAMES, FILTERS, type FilterName } from "@/server/audit/query/catalogue";
import { splitValues } from "@/server/audit/query/value-list";
import type { Input } from "./list-input";

export type FacetValue = Outputs["audit"]["facets"][FacetName][number];

/** The facets in the order in which they are offered, and the filter that each sets. */
export const FACETS = FILTER_NAMES.flatMap((name): [FacetName, FilterName][] => {
  const filter = FILTERS[name];
  return "facet" in filter ? [[filter.facet, name]] : [];
});

/** How the matches are spread over kinds; never waited for by the rows. */
export const facetsQuery = (
  trpc: Pick<ReturnType<typeof useTRPC>, "audit">,
  { cursor: _, skipCount: __, orgId, ...input }: Input,
) =>
  trpc.audit.facets.queryOptions(
    { ...input, ...(orgId && { among: [orgId].flat().flatMap(splitValues) }) },
    { trpc: ALONE, placeholderData: keepPreviousData },
  );
