import { parseAsInteger } from "nuqs";
import { count, counted } from "@/components/format/amounts";
import { instantParam } from "@/components/format/instant-param";
import type { Outputs } from "@/components/trpc";
import { placesText } from "./breaks";

/** A part of the chain, by time or by sequence numbers; without any end it is the whole chain. */
export type Part = { from: Date | null; to: Date | null; fromSeq: number | null; toSeq: number | null };
export const WHOLE: Part = { from: null, to: null, fromSeq: null, toSeq: null };

export const PART_PARAMS = {
  from: instantParam,
  to: instantParam,
  fromSeq: parseAsInteger,
  toSeq: parseAsInteger,
};

const isBySequence = ({ fromSeq, toSeq }: Part): boolean => (fromSeq ?? toSeq) !== null;
const isByTime = ({ from, to }: Part): boolean => Boolean(from || to);
export const isWhole = (part: Part): boolean => modeOf(part) === null;

export type RangeMode = "time" | "sequence";

/** How a part's ends are given; null for the whole chain. If the URL has both forms, time takes precedence. */
export function modeOf(part: Part): RangeMode | null {
  if (isByTime(part)) return "time";
  return isBySequence(part) ? "sequence" : null;
}

/** The fault of a part, and at which end; null if it is valid. */
export function faultOf({ from, to, fromSeq, toSeq }: Part): { end: "from" | "to"; text: string } | null {
  if (from && to && from > to) return { end: "from", text: "Start is after the end" };
  if (fromSeq !== null && fromSeq < 1) return { end: "from", text: "The first entry is 1" };
  if (toSeq !== null && toSeq < 1) return { end: "to", text: "The first entry is 1" };
  if (fromSeq !== null && toSeq !== null && fromSeq > toSeq) return { end: "from", text: "Start is after the end" };
  return null;
}

/** The part as input of the server's procedure. */
export function toInput(part: Part) {
  const { from, to, fromSeq, toSeq } = part;
  if (isByTime(part)) return { from: from?.toISOString(), to: to?.toISOString() };
  return { fromSeq: fromSeq ?? undefined, toSeq: toSeq ?? undefined };
}

type Found = Outputs["integrity"]["verify"];
type Shown = { found: Found; part: Part; seconds: number; prunedUnder?: string | null };

const entries = (n: number): string => counted(n, "entry", "entries");

/** The part of the chain outside the requested sequence numbers, which was not read. */
function outsideOf({ head, prunedPrefix }: Found, { fromSeq, toSeq }: Part): string {
  const pruned = prunedPrefix?.throughSeq ?? 0;
  const last = head?.seq ?? 0;
  const first = Math.max(fromSeq ?? 1, pruned + 1);
  // Computed from sequence numbers rather than rows read: a missing entry inside the range is not outside it.
  const inside = Math.max(0, Math.min(toSeq ?? last, last) - first + 1);
  const outside = Math.max(0, last - pruned - inside);
  if (outside === 0) return " No other entry is in the chain.";
  return ` The other ${entries(outside)} of the chain are outside the range and were not read.`;
}

/** The entries that retention removed, and under which window. */
function removedOf({ prunedPrefix }: Found, prunedUnder: string | null | undefined): string {
  if (!prunedPrefix) return "";
  return ` Retention removed the entries through ${count(prunedPrefix.throughSeq)}${prunedUnder ? ` under ${prunedUnder}` : ""}.`;
}

/** The rows read and the share of the chain that they cover; it never claims more than was checked. */
export function scopeOf({ found, part, seconds, prunedUnder }: Shown): string {
  const { rowsChecked, rowsRead, firstSeq, lastSeq } = found;
  const span = firstSeq !== null && lastSeq !== null ? `, entries ${count(firstSeq)} to ${count(lastSeq)}` : "";
  const time = seconds.toFixed(1);
  const end = `${removedOf(found, prunedUnder)}${time === "0.0" ? "" : ` Read in ${time} s.`}`;
  if (isWhole(part)) return `${entries(rowsChecked)} checked${span}.${end}`;
  if (isByTime(part))
    return `${entries(rowsChecked)} in the range${span}; the whole chain of ${count(rowsRead)} was read for it.${end}`;
  return `${entries(rowsChecked)} checked${span}.${outsideOf(found, part)}${end}`;
}

/** The verdict in a few words. */
export function titleOf({ found, part }: Pick<Shown, "found" | "part">): string {
  const whole = isWhole(part);
  if (found.status === "empty") return whole ? "The chain is empty" : "No entries in this range";
  if (found.status === "unproven") return whole ? "Not proven, whole chain" : "Not proven in this range";
  if (found.status === "broken") return `Broken in ${placesText(found.breaks)}`;
  if (!whole) return "Intact in this range";
  const { covered, lastSeq } = found;
  return covered.lastSeq === lastSeq
    ? "Intact, from the first entry to the last"
    : `Intact, from the first entry to entry ${count(covered.lastSeq ?? 0)}`;
}
