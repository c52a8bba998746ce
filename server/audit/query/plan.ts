import type { Tx } from "@/db/client";
import { MIN_INDEXED_TERM } from "@/server/audit/vocabulary";
import type { Ctx, Scope } from "@/server/ground/context";
import { toExclusion } from "./catalogue";
import { type AuditFilter, excludedOf, hasText, isUnfiltered, type RowFilter } from "./conditions";
import { type Postings, postingsOf } from "./postings";
import { type IndexProbe, isIndexed, probeOf } from "./probe";
import { reachedBy } from "./rows";
import { holdsTally, type Shape, shapeFor } from "./tallies";
import {
  kindHolds,
  kindHoldsWord,
  namesNobody,
  resolveWords,
  spellingsOf,
  type Text,
  type Within,
  type Word,
} from "./words";

/** Rows along the index by time: of each, the conditions decide. */
type ByTime = { kind: "rows" };
/**
 * Keys from the search index, then the rows of these. isAhead: the newest rows are tried first, where a frequent match is
 * met sooner. postings: how rows of few actors or resources are read by key; null where the filter names none.
 */
type ByIndex = { kind: "keys"; probe: IndexProbe; isAhead: boolean; postings: Postings | null };
/** The newest rows one by one, for as long as there is time: the words are too short for an index. */
type Scan = { kind: "scan" };

/** How the matches are counted: by the heads of the chains, by tallies, by the search index, or by reading the rows. */
export type Total =
  | { by: "heads" }
  | { by: "tallies"; shape: Shape }
  | { by: "index"; probe: IndexProbe; texts: Text[] | null }
  | { by: "rows" };

/** A filter whose words are looked up, the organizations that it is asked of, and how it is answered. */
export type Plan = {
  orgIds: readonly string[];
  filter: RowFilter;
  /** How one page is read. */
  page: ByTime | ByIndex | Scan;
  /** How all matches are read, however many. */
  all: ByTime | ByIndex;
  total: Total;
};

/** A filter and how the search index narrows it; null: by time alone. */
type Probed = { orgIds: readonly string[]; filter: RowFilter; probe: IndexProbe | null };

/** True when the only text that is asked for is too short for the index. */
function isShort({ phrase, words = [] }: RowFilter): boolean {
  const texts = [...words.map((word) => word.text), ...(phrase ? [phrase] : [])];
  return texts.length > 0 && texts.every((text) => [...text].length < MIN_INDEXED_TERM);
}

/** Text that a block's own text decides about exactly; anything else is looked up in the rows. */
const isPlain = (term: string): boolean => /^[\x20-\x7e]+$/.test(term);

/** Each further text doubles the ways in which a row can hold them all. */
const MAX_TEXTS = 3;

/** A word that names no actor, and is written in one way alone. */
const isBare = (word: Word): boolean => namesNobody(word) && spellingsOf(word).length === 1;

/** The texts that are all that is asked for, where they are few, plain and bare; else null. */
function textsOf({ phrase, words = [], orgId: _, ...rest }: RowFilter): Text[] | null {
  const texts = phrase
    ? [{ text: phrase, inKind: kindHolds(phrase) }]
    : words.map((word) => ({ text: word.text, inKind: kindHoldsWord(word) }));
  const isMixed = phrase !== undefined && words.length > 0;
  const isEasy = texts.length > 0 && texts.length <= MAX_TEXTS && texts.every(({ text }) => isPlain(text));
  return isUnfiltered(rest) && !isMixed && isEasy && words.every(isBare) ? texts : null;
}

function totalOf({ filter, probe }: Probed): Total {
  if (isUnfiltered(filter)) return { by: "heads" };
  const shape = shapeFor(filter);
  if (shape) return holdsTally(filter, shape) ? { by: "tallies", shape } : { by: "rows" };
  return probe && isIndexed(probe) ? { by: "index", probe, texts: textsOf(filter) } : { by: "rows" };
}

/** How a filter is answered. Pure: what had to be looked up for it is in the probe. */
export function planOf(probed: Probed): Plan {
  const { orgIds, filter, probe } = probed;
  const isAhead = orgIds.length === 1 && !hasText(filter);
  const all: Plan["all"] = probe
    ? { kind: "keys", probe, isAhead, postings: postingsOf(orgIds, filter) }
    : { kind: "rows" };
  return { orgIds, filter, all, page: isShort(filter) ? { kind: "scan" } : all, total: totalOf(probed) };
}

/** Where names are looked up: row level security cuts everyone down but the platform's operator. */
const withinOf = (scope: Scope): Within =>
  scope.kind !== "system" && scope.partnerId === null ? scope.orgIds : undefined;

type Asked = { scope: Scope; orgIds: readonly string[]; filter: AuditFilter };

/** A filter whose words are looked up among what some organizations have, of those that a scope reaches. */
export async function toRowFilter(tx: Tx, { scope, orgIds, filter: { q, ...filter } }: Asked): Promise<RowFilter> {
  const within = withinOf(scope);
  const words = await resolveWords(tx, { orgIds, within }, q ? [q] : []);
  const withoutWords = await resolveWords(tx, { orgIds, within }, excludedOf(filter, "q"));
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
  planOf({ orgIds, filter, probe: await probeOf(tx, orgIds, filter) });

/** The plan of a caller's filter: the step before its rows are read, counted or exported. */
export async function planFor(tx: Tx, { scope }: Ctx, input: AuditFilter): Promise<Plan> {
  const { orgIds, filter } = withoutExcluded(await reachedBy(tx, scope), input);
  return planRows(tx, orgIds, await toRowFilter(tx, { scope, orgIds, filter }));
}
