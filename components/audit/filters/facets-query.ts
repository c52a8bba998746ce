import { keepPreviousData } from "@tanstack/react-query";
import type { Input, Trpc } from "@/components/audit/state/view";
import { type Outputs, UNBATCHED } from "@/components/trpc";
import { type FacetName, FILTER_NAMES, FILTERS, type FilterName } from "@/server/audit/query/catalogue";
import { splitValues } from "@/server/audit/query/values";

export type FacetValue = Outputs["audit"]["facets"][FacetName][number];

/** The facets in display order, each with the filter that it sets. */
export const FACETS = FILTER_NAMES.flatMap((name): [FacetName, FilterName][] => {
  const filter = FILTERS[name];
  return "facet" in filter ? [[filter.facet, name]] : [];
});

/** The counts of matching entries per value; the rows do not wait for them. */
export const facetsQuery = (trpc: Trpc, { cursor: _, skipCount: __, orgId, ...input }: Input) =>
  trpc.audit.facets.queryOptions(
    { ...input, ...(orgId && { among: [orgId].flat().flatMap(splitValues) }) },
    { trpc: UNBATCHED, placeholderData: keepPreviousData },
  );
