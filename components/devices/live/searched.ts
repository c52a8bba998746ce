import { bytes, count, counted } from "@/components/format/amounts";
import type { Descriptor, Searched } from "@/server/devices/live/schema";

/** A log, and how much of it the device searched; `at` writes a time. */
type Part = { log: string; searched: Searched | undefined; hasEnd: boolean; at: (iso: string) => string };

/** Whether something that matches may lie outside of what the device searched. */
export const isPart = (searched: Searched | undefined): boolean =>
  Boolean(searched && (searched.entries || searched.bytes || searched.from));

/** What was searched, as it follows "in": the log, or the part of it. */
export function searchedText({ log, searched = {}, hasEnd, at }: Part): string {
  const { entries, bytes: size, from, to } = searched;
  if (entries) return `the newest ${count(entries)} entries of ${log}${hasEnd ? " before the chosen end" : ""}`;
  if (size) return `the newest ${bytes(size)} of ${log}`;
  if (from && to) return `${log} between ${at(from)} and ${at(to)}`;
  return from ? `${log} since ${at(from)}` : log;
}

/** How many events match, of those that were searched. */
export function totalText(total: number, part: Part): string {
  const events = counted(total, "event");
  if (part.searched?.matches) return `At least ${events}`;
  return isPart(part.searched) ? `${events} in ${searchedText(part)}` : `${events} in total`;
}

/** How many events a log holds: at least so many where only a part of it was counted. */
export const recordCountText = ({ recordCount, searched }: Pick<Descriptor, "recordCount" | "searched">): string =>
  searched ? `At least ${count(recordCount)}` : count(recordCount);
