import { FILTERS } from "@/server/audit/query/catalogue";
import { chipsOf } from "./describe-filters";
import { hideRoutine } from "./narrow";
import { PRESET_LABEL, shortSpan } from "./range";
import { FROM_START, hidesRoutine, type View } from "./view";

/** A part of a search that could be dropped to find more. word: one searched literally. */
export type Droppable = { key: string; label: string; drop: (view: View) => Partial<View>; word?: string };

const clearedRange = { range: null, from: null, to: null };

/** Parts that could be dropped to find more, best first: time, words, filters. */
export function droppableFilters(view: View, zone: string, names?: ReadonlyMap<string, string>): Droppable[] {
  const { range, from, to } = view;
  const time = range ? PRESET_LABEL[range] : shortSpan({ ...(from && { from }), ...(to && { to }) }, zone);
  return [
    ...(range || from || to ? [{ key: "range", label: time, drop: () => clearedRange }] : []),
    ...chipsOf(view, names).map(({ name, value, ...chip }) => ({
      ...chip,
      label: name === FILTERS.q.label ? value : `${name.replace(/^Without/, "without")}: ${value}`,
    })),
    ...(hidesRoutine(view)
      ? [{ key: "routine", label: "Hide routine agent telemetry", drop: (from: View) => hideRoutine(from, false) }]
      : []),
  ];
}

export function withoutParts(view: View, parts: readonly Droppable[]): View {
  let left: View = { ...view, ...FROM_START };
  for (const { drop } of parts) left = { ...left, ...drop(left) };
  return left;
}

/** Parts dropped together, and the number of matches without them. */
export type Dropped<Part> = { parts: Part[]; total: number };

/** Parts tried in pairs: more would give too many pairs. */
const MAX_PAIRED = 8;
/** Enough suggestions to choose from. */
const ENOUGH = 3;

const pairsOf = <Part>(parts: readonly Part[]): Part[][] =>
  parts.flatMap((one, at) => parts.slice(at + 1).map((other) => [one, other]));

/**
 * Fewest parts to drop from a search without matches. Parts without matches of their own are always dropped; of the
 * others one, else two.
 * @param parts best to drop first
 * @param totalOf counts matches with some parts only
 */
export async function fewestDrops<Part>(
  parts: readonly Part[],
  totalOf: (kept: readonly Part[]) => Promise<number>,
): Promise<{ found: Dropped<Part>[]; dead: Part[] }> {
  const alone = await Promise.all(parts.map((part) => totalOf([part])));
  const dead = parts.filter((_, at) => alone[at] === 0);
  const alive = parts.filter((part) => !dead.includes(part));
  const without = async (some: readonly Part[]): Promise<Dropped<Part>> => {
    const dropped = [...dead, ...some];
    const kept = parts.filter((part) => !dropped.includes(part));
    return { parts: dropped, total: kept.length > 0 ? await totalOf(kept) : 0 };
  };
  const rounds = [dead.length > 0 ? [[]] : [], alive.map((part) => [part]), pairsOf(alive.slice(0, MAX_PAIRED))];
  for (const round of rounds) {
    const found: Dropped<Part>[] = [];
    for (let at = 0; at < round.length && found.length < ENOUGH; at += ENOUGH)
      found.push(...(await Promise.all(round.slice(at, at + ENOUGH).map(without))).filter(({ total }) => total > 0));
    if (found.length > 0) return { found, dead };
  }
  return { found: [], dead };
}
