import { KINDS, type NotificationKind } from "@/server/notify/vocabulary";
import type { Detail } from "./kinds/definition";

/** Open row that a finding continues; null if it starts one. */
type Before = { detail: Detail; since: Date } | null;
type Looked = { before: Before; now: Date };

/** Start for the subjects of a row by an older version: the start of the row, as far as known. */
function sinceOf({ before, now }: Looked): (name: string) => string {
  const { seen, names = [] } = before?.detail ?? {};
  const known = new Map(seen?.map(({ name, since }) => [name, since]));
  if (!seen && before) for (const name of names) known.set(name, before.since.toISOString());
  return (name) => known.get(name) ?? now.toISOString();
}

/**
 * Adds the start of a shared condition for each named subject, and as `names` those that have had it as long as its
 * kind requires.
 */
export function withSeen(kind: NotificationKind, detail: Detail, looked: Looked): Detail {
  if (!detail.names) return detail;
  const since = sinceOf(looked);
  const seen = detail.names.map((name) => ({ name, since: since(name) }));
  const isLong = (at: string) => looked.now.getTime() - Date.parse(at) >= KINDS[kind].holdsMs;
  return { ...detail, names: seen.filter((one) => isLong(one.since)).map(({ name }) => name), seen };
}

/** Earliest start among these; undefined without names. */
export function firstSeen({ seen = [] }: Detail): Date | undefined {
  const [first] = seen.map(({ since }) => since).sort();
  return first === undefined ? undefined : new Date(first);
}

/** True if a new subject joined; for rows of an older version only names are compared. */
export function hasMore(detail: Detail, before: Detail): boolean {
  const by = detail.ids && before.ids ? "ids" : "names";
  const left = [...(before[by] ?? [])];
  return (detail[by] ?? []).some((one) => {
    const i = left.indexOf(one);
    if (i >= 0) left.splice(i, 1);
    return i < 0;
  });
}
