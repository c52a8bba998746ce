import type { ListedEntry } from "@/server/audit/schema";
import { sentenceText } from "@/server/audit/sentence";
import { isObject } from "@/server/ground/records";

export type Entry = ListedEntry;

/** Times of the newest and oldest entry of a page. */
export const endsOf = (entries: readonly Entry[]) => [entries[0]?.timestamp, entries.at(-1)?.timestamp];

/** Title of an entry's page; null for an entry that cannot be shown. */
export const entryTitle = (entry: Entry | null): string => (entry ? sentenceText(entry) : "Audit entry");

/** URL of the page around an entry. */
export const aroundPath = (id: string): string => `/audit/${id}/around`;

/** URL of the activity page of a person, API key or agent. */
export const actorPath = (id: string): string => `/actors/${encodeURIComponent(id)}`;

/** URL of the activity page of an address. */
export const addressPath = (ip: string): string => `/addresses?ip=${encodeURIComponent(ip)}`;

/** members: details that contain the change. */
type Changes = { before: unknown; after: unknown; members: string[] };

const PAIRS = [
  ["before", "after"],
  ["old", "new"],
  ["from", "to"],
  ["oldValue", "newValue"],
] as const;

/** The old and new value of a member that is exactly such a pair. */
function pairOf(value: unknown): [before: unknown, after: unknown] | null {
  if (!isObject(value)) return null;
  const names = Object.keys(value);
  const pair = PAIRS.find((one) => names.length > 0 && names.every((name) => one.some((known) => known === name)));
  return pair ? [value[pair[0]], value[pair[1]]] : null;
}

/** Converts { name: { old, new } } to the states before and after. */
function fromPairs(changes: unknown): Changes | null {
  if (!isObject(changes) || Object.keys(changes).length === 0) return null;
  const pairs = Object.entries(changes).map(([name, value]) => [name, pairOf(value)] as const);
  if (pairs.some(([, pair]) => pair === null)) return null;
  const side = (at: 0 | 1) =>
    Object.fromEntries(pairs.flatMap(([name, pair]) => (pair?.[at] === undefined ? [] : [[name, pair[at]]])));
  return { before: side(0), after: side(1), members: ["changes"] };
}

/** The change that an entry records, as the states before and after; null when it records none. */
export function changesOf(entry: Entry): Changes | null {
  const { before, after, changes } = entry.details;
  if (before === undefined && after === undefined) return fromPairs(changes);
  return { before: before ?? {}, after: after ?? {}, members: ["before", "after"] };
}
