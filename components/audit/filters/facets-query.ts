import { keepPreviousData } from "@tanstack/react-query";
import { ALONE, type Outputs, type useTRPC } from "@/components/trpc";
import type { Input } from "./entries-query";
import type { Field } from "./narrow";

export type FacetName = Exclude<keyof Outputs["audit"]["facets"], "rows" | "truncated">;
export type FacetValue = Outputs["audit"]["facets"][FacetName][number];

/** The facets in the order in which they are offered, and the field that each narrows. */
export const FACETS: [FacetName, Field][] = [
  ["result", "result"],
  ["category", "category"],
  ["actorType", "type"],
  ["actor", "actorId"],
  ["action", "action"],
  ["resourceType", "resourceType"],
  ["organization", "org"],
];

/** How the matches are spread over kinds; never waited for by the rows. */
export const facetsQuery = (
  trpc: Pick<ReturnType<typeof useTRPC>, "audit">,
  { cursor: _, skipCount: __, ...input }: Input,
) => trpc.audit.facets.queryOptions(input, { trpc: ALONE, placeholderData: keepPreviousData });
