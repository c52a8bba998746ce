import type { Tx } from "@/db/client";
import type { Query } from "@/server/audit/search/match";
import { MIN_INDEXED_TERM } from "@/server/audit/vocabulary";
import type { Ctx, Scope } from "@/server/ground/context";
import { toExclusion } from "./catalogue";
import { type AuditFilter, excludedOf, isTallied, isUnfiltered, type RowFilter } from "./conditions";
import { reachedBy } from "./rows";
import { holdsTally } from "./tallies";
import { toQuery } from "./to-query";
import { resolveTerms, type Within } from "./words";

/** Rows along the time index, each tested by the conditions. */
type ByTime = { kind: "rows" };
/** Keys from the search index; the conditions test uncertain and unindexed rows. */
type ByIndex = { kind: "keys"; query: Query };
/** The newest rows one by one until the deadline: the words are too short for the index. */
type Scan = { kind: "scan" };

/** A filter with its words looked up, the organizations, and how to answer it. */
export type Plan = {
  orgIds: readonly string[];
  filter: RowFilter;
  page: ByTime | ByIndex | Scan;
  all: ByTime | ByIndex;
  /** How to count the matches: from chain heads, tallies, the search index, or by reading rows. */
  total: "heads" | "tallies" | "index" | "rows";
};

/** A filter and its index query; null if read by time alone. */
type Asked = { orgIds: readonly string[]; filter: RowFilter; query: Query | null };

/** True if all of the text is too short for the index. */
function isShort({ phrase, words = [] }: RowFilter): boolean {
  const isShortText = (text: string) => [...text].length < MIN_INDEXED_TERM;
  const terms = [...words.map((term) => term.map(({ text }) => text)), ...(phrase ? [[phrase]] : [])];
  return terms.length > 0 && terms.every((texts) => texts.some(isShortText));
}

function totalOf({ filter, query }: Asked): Plan["total"] {
  if (isUnfiltered(filter)) return "heads";
  const isTimed = Boolean(filter.from || filter.to);
  if (isTallied(filter) && (isTimed || !query)) return holdsTally(filter) ? "tallies" : "rows";
  return query ? "index" : "rows";
}

/** Chooses how to answer a filter. Pure: all look-ups are done already. */
export function planOf(asked: Asked): Plan {
  const { orgIds, filter, query } = asked;
  const all: Plan["all"] = query ? { kind: "keys", query } : { kind: "rows" };
  return { orgIds, filter, all, page: isShort(filter) ? { kind: "scan" } : all, total: totalOf(asked) };
}

/** Organizations for name look-ups: row-level security limits everyone but the platform's operator. */
export const withinOf = (scope: Scope): Within =>
  scope.kind !== "system" && scope.partnerId === null ? scope.orgIds : undefined;

type Unresolved = { scope: Scope; orgIds: readonly string[]; filter: AuditFilter };

/** Looks up the words of a filter within the organizations of a scope. */
export async function toRowFilter(tx: Tx, { scope, orgIds, filter: { q, ...filter } }: Unresolved): Promise<RowFilter> {
  const within = withinOf(scope);
  const words = await resolveTerms(tx, { orgIds, within }, q ? [q] : []);
  const withoutWords = await resolveTerms(tx, { orgIds, within }, excludedOf(filter, "q"));
  return {
    ...filter,
    ...(within && { within }),
    ...(words.length > 0 && { words }),
    ...(withoutWords.length > 0 && { withoutWords }),
  };
}

/** Removes excluded organizations from the chosen ones, as if only the others had been selected. */
function withoutExcluded(orgIds: readonly string[], { exclude = [], ...filter }: AuditFilter) {
  const excluded = excludedOf({ exclude }, "orgId").map((id) => id.toLowerCase());
  const left = exclude.filter((part) => toExclusion(part)?.name !== "orgId");
  return {
    orgIds: orgIds.filter((id) => !excluded.includes(id)),
    filter: { ...filter, ...(left.length > 0 && { exclude: left }) },
  };
}

/** Plan of a filter whose words are looked up; made again for a later part, when more is indexed. */
export const planRows = async (tx: Tx, orgIds: readonly string[], filter: RowFilter): Promise<Plan> =>
  planOf({ orgIds, filter, query: await toQuery(tx, filter) });

/** Plan of a caller's filter, made before its rows are read, counted or exported. */
export async function planFor(tx: Tx, { scope }: Ctx, input: AuditFilter): Promise<Plan> {
  const { orgIds, filter } = withoutExcluded(await reachedBy(tx, scope), input);
  return planRows(tx, orgIds, await toRowFilter(tx, { scope, orgIds, filter }));
}
