"use client";

import { type inferParserType, parseAsArrayOf, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs";
import { PRESETS, presetSpan, type Span } from "@/components/audit/state/range";
import { isPart, searchedText, useLiveQuery } from "@/components/devices/live/use-live-query";
import { count, counted } from "@/components/format/amounts";
import { instantParam } from "@/components/format/instant-param";
import { UNBATCHED, useTRPCClient } from "@/components/trpc";
import { wordsOf } from "@/server/audit/query/values";
import type { Entry as LiveEvent, Searched } from "@/server/devices/live/schema";
import type { TimelineItem } from "@/server/devices/timeline/schema";
import { TIMELINE_SOURCES } from "@/server/devices/timeline/vocabulary";
import { bounded } from "@/server/ground/time/bounds";
import { MINUTE_MS } from "@/server/ground/time/durations";

/** The timeline's URL parameters: a preset range, two instants, or some minutes around a moment. */
export const timelineParsers = {
  range: parseAsStringLiteral([...PRESETS, "all"]).withDefault("1h"),
  from: instantParam,
  to: instantParam,
  around: instantParam,
  within: parseAsInteger.withDefault(5),
  sources: parseAsArrayOf(parseAsStringLiteral(TIMELINE_SOURCES)).withDefault([...TIMELINE_SOURCES]),
  search: parseAsString,
};

export type TimelineView = inferParserType<typeof timelineParsers>;
type View = Pick<TimelineView, "range" | "from" | "to" | "around" | "within">;

export function spanOf({ range, from, to, around, within }: View, zone: string, now: Date): Span {
  if (around) {
    const halfWindowMs = Math.min(Math.max(within, 1), 24 * 60) * MINUTE_MS;
    const [start, end] = [around.getTime() - halfWindowMs, around.getTime() + halfWindowMs];
    return { from: new Date(bounded(start)), to: new Date(bounded(end)) };
  }
  if (from || to) return { ...(from && { from }), ...(to && { to }) };
  return range === "all" ? {} : presetSpan(range, zone, now);
}

/** Maximum events requested of a log. */
const MAX_LIVE_EVENTS = 50;

/** Events in a device's answer, the logs read for them, and its total number of logs. */
export type LiveAnswer = {
  items: LiveItem[];
  logs: { name: string; searched: Searched | undefined }[];
  logCount: number;
};

/** hasEnd: whether the requested range has an end; `at` formats a time. */
type Options = { hasEnd: boolean; at: (iso: string) => string };

/** Number of events and their logs, and the parts not read. */
export function answerText({ items, logs, logCount }: LiveAnswer, options: Options): string {
  if (logs.length === 0) return "The device reports no logs.";
  const names = logs.map(({ name }) => name).join(", ");
  const found =
    items.length === 0
      ? `No events in this range in ${names}`
      : `${counted(items.length, "event")} from the newest ${MAX_LIVE_EVENTS} of ${logs.length > 1 ? "each of " : ""}${names}`;
  const others =
    logCount > logs.length
      ? ` These are the ${count(logs.length)} of its ${count(logCount)} logs that were written to last.`
      : "";
  const parts = logs
    .filter(({ searched }) => isPart(searched))
    .map(({ name, searched }) => searchedText({ log: name, searched, ...options }));
  return `${found}.${others}${parts.length > 0 ? ` Searched only in part: ${parts.join("; ")}.` : ""}`;
}

/** Logs read, most recently written first. */
const MAX_LOGS = 3;

/** Time and span of a request; times are ISO 8601. */
export type LiveRequest = { at: string; from: string | undefined; to: string | undefined };

/** Newest events in a request's span, from the device's own logs; each request is a query. */
export function useLiveItems(deviceId: string, request: LiveRequest | null) {
  const client = useTRPCClient();
  return useLiveQuery({
    key: [deviceId, "timeline", request],
    isEnabled: request !== null,
    run: async (signal): Promise<LiveAnswer> => {
      const options = { signal, ...UNBATCHED };
      const { data: logs } = await client.liveEvents.logs.query({ deviceId }, options);
      const newest = logs.toSorted((a, b) => b.lastWriteTime.localeCompare(a.lastWriteTime)).slice(0, MAX_LOGS);
      const range = { startTime: request?.from, endTime: request?.to, limit: MAX_LIVE_EVENTS };
      const answers = await Promise.all(
        newest.map(async ({ name }) => ({
          name,
          ...(await client.liveEvents.events.query({ deviceId, name, ...range }, options)),
        })),
      );
      const items = answers.flatMap(({ name, data }) =>
        data
          .filter(({ timeCreated }) => Number.isFinite(Date.parse(timeCreated)))
          .map((event) => ({
            source: "live" as const,
            at: new Date(event.timeCreated).toISOString(),
            key: `live ${name} ${event.recordId}`,
            log: name,
            event,
          })),
      );
      return {
        items,
        logs: answers.map(({ name, meta }) => ({ name, searched: meta.searched })),
        logCount: logs.length,
      };
    },
  });
}

/** An event queried live from the device. */
export type LiveItem = { source: "live"; at: string; key: string; log: string; event: LiveEvent };
export type Item = TimelineItem | LiveItem;

const newestFirst = (a: Item, b: Item): number => Date.parse(b.at) - Date.parse(a.at);

/** True if a live event matches the search, by the server's rules for stored events. */
export function matchesSearch({ event, log }: LiveItem, search: string): boolean {
  const text = `${event.source}: ${event.message} ${log} ${event.eventId}`.toLowerCase();
  return wordsOf(search).every((word) => text.includes(word.toLowerCase()));
}

/** True if an item is in a span, ends included. */
export const isWithin = ({ at }: Item, { from, to }: Span): boolean =>
  (!from || Date.parse(at) >= from.getTime()) && (!to || Date.parse(at) <= to.getTime());

/** Merges live events into loaded items; those older than the last item wait until more are loaded. */
export function mergeLive(items: TimelineItem[], live: LiveItem[], isWhole: boolean): Item[] {
  const oldest = items.at(-1)?.at ?? "";
  return [...items, ...live.filter(({ at }) => isWhole || at >= oldest)].sort(newestFirst);
}
