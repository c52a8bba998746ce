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

/** Rows along the index by time: of each, the conditions decide. */
type ByTime = { kind: "rows" };
/** Keys from the search index; the conditions decide of rows where it is not sure, and of those that it lacks. */
type ByIndex = { kind: "keys"; query: Query };
/** The newest rows one by one, for as long as there is time: the words are too short for an index. */
type Scan = { kind: "scan" };

/** A filter whose words are looked up, the organizations that it is asked of, and how it is answered. */
export type Plan = {
  orgIds: readonly string[];
  filter: RowFilter;
  /** How one page is read. */
  page: ByTime | ByIndex | Scan;
  /** How all matches are read, however many. */
  all: ByTime | ByIndex;
  /** How the matches are counted: by the heads of the chains, by tallies, by the search index, or by reading the rows. */
  total: "heads" | "tallies" | "index" | "rows";
};

/** A filter and what the search index is asked; null: by time alone. */
type Asked = { orgIds: readonly string[]; filter: RowFilter; query: Query | null };

/** True when the only text that is asked for is too short for the index. */
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

/** How a filter is answered. Pure: what had to be looked up for it is in the query. */
export function planOf(asked: Asked): Plan {
  const { orgIds, filter, query } = asked;
  const all: Plan["all"] = query ? { kind: "keys", query } : { kind: "rows" };
  return { orgIds, filter, all, page: isShort(filter) ? { kind: "scan" } : all, total: totalOf(asked) };
}

/** Where names are looked up: row level security cuts everyone down but the platform's operator. */
export const withinOf = (scope: Scope): Within =>
  scope.kind !== "system" && scope.partnerId === null ? scope.orgIds : undefined;

type Unresolved = { scope: Scope; orgIds: readonly string[]; filter: AuditFilter };

/** A filter whose words are looked up among what some organizations have, of those that a scope reaches. */
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

/** An organization that is excluded is not asked at all: what is left is counted as if it had been chosen. */
function withoutExcluded(orgIds: readonly string[], { exclude = [], ...filter }: AuditFilter) {
  const excluded = excludedOf({ exclude }, "orgId").map((id) => id.toLowerCase());
  const left = exclude.filter((part) => toExclusion(part)?.name !== "orgId");
  return {
    orgIds: orgIds.filter((id) => !excluded.includes(id)),
    filter: { ...filter, ...(left.length > 0 && { exclude: left }) },
  };
}

/** The plan of a filter whose words are looked up already; again for a part that is read later, when more is indexed. */
export const planRows = async (tx: Tx, orgIds: readonly string[], filter: RowFilter): Promise<Plan> =>
  planOf({ orgIds, filter, query: await toQuery(tx, filter) });

/** The plan of a caller's filter: the step before its rows are read, counted or exported. */
export async function planFor(tx: Tx, { scope }: Ctx, input: AuditFilter): Promise<Plan> {
  const { orgIds, filter } = withoutExcluded(await reachedBy(tx, scope), input);
  return planRows(tx, orgIds, await toRowFilter(tx, { scope, orgIds, filter }));
}
