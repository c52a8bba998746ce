import { wordsOf } from "@/server/audit/query/values";
import type { Entry as LiveEvent } from "@/server/devices/live/schema";
import type { TimelineItem } from "@/server/devices/timeline/schema";
import type { Span } from "./timeline-params";

/** An event queried live from the device. */
export type LiveItem = { source: "live"; at: string; key: string; log: string; event: LiveEvent };
export type Item = TimelineItem | LiveItem;

const newestFirst = (a: Item, b: Item): number => Date.parse(b.at) - Date.parse(a.at);

/** Whether a live event matches the search, by the same rules that the server applies to stored events. */
export function matchesSearch({ event, log }: LiveItem, search: string): boolean {
  const text = `${event.source}: ${event.message} ${log} ${event.eventId}`.toLowerCase();
  return wordsOf(search).every((word) => text.includes(word.toLowerCase()));
}

/** Whether an item lies in a span; its ends are part of it. */
export const isWithin = ({ at }: Item, { from, to }: Span): boolean =>
  (!from || Date.parse(at) >= from.getTime()) && (!to || Date.parse(at) <= to.getTime());

/** Adds live events to the loaded items; those older than the last item are left out until more items are loaded. */
export function mergeLive(items: TimelineItem[], live: LiveItem[], isWhole: boolean): Item[] {
  const oldest = items.at(-1)?.at ?? "";
  return [...items, ...live.filter(({ at }) => isWhole || at >= oldest)].sort(newestFirst);
}
