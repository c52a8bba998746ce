import { KINDS, type NotificationKind } from "@/server/notify/vocabulary";
import type { Detail } from "./kinds/definition";

/** The open row that a finding continues; null where it begins one. */
type Before = { detail: Detail; since: Date } | null;
type Looked = { before: Before; now: Date };

/** What a row of an older version names was first seen when the row began, as far as is known. */
function sinceOf({ before, now }: Looked): (name: string) => string {
  const { seen, names = [] } = before?.detail ?? {};
  const known = new Map(seen?.map(({ name, since }) => [name, since]));
  if (!seen && before) for (const name of names) known.set(name, before.since.toISOString());
  return (name) => known.get(name) ?? now.toISOString();
}

/**
 * Of a condition that several may share: since when each of the named has it, and as `names` those that have had it for as long
 * as its kind must hold.
 */
export function withSeen(kind: NotificationKind, detail: Detail, looked: Looked): Detail {
  if (!detail.names) return detail;
  const since = sinceOf(looked);
  const seen = detail.names.map((name) => ({ name, since: since(name) }));
  const isLong = (at: string) => looked.now.getTime() - Date.parse(at) >= KINDS[kind].holdsMs;
  return { ...detail, names: seen.filter((one) => isLong(one.since)).map(({ name }) => name), seen };
}

/** Since when the first of those has it; undefined of a condition that names none. */
export function firstSeen({ seen = [] }: Detail): Date | undefined {
  const [first] = seen.map(({ since }) => since).sort();
  return first === undefined ? undefined : new Date(first);
}

/** Whether one is there that was not before; of a row of an older version the names alone are known. */
export function hasMore(detail: Detail, before: Detail): boolean {
  const by = detail.ids && before.ids ? "ids" : "names";
  const left = [...(before[by] ?? [])];
  return (detail[by] ?? []).some((one) => {
    const i = left.indexOf(one);
    if (i >= 0) left.splice(i, 1);
    return i < 0;
  });
}
