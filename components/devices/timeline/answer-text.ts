import { isPart, searchedText } from "@/components/devices/live/searched";
import { count, counted } from "@/components/format/amounts";
import type { Searched } from "@/server/devices/live/schema";
import type { LiveItem } from "./merge-live";

/** At most so many events of a log are asked for. */
export const MAX_LIVE_EVENTS = 50;

/** The events that a device answered, the logs that were read for them, and how many logs it has. */
export type LiveAnswer = {
  items: LiveItem[];
  logs: { name: string; searched: Searched | undefined }[];
  logCount: number;
};

/** hasEnd: whether the range that was asked for has an end; `at` writes a time. */
type Options = { hasEnd: boolean; at: (iso: string) => string };

/** How many events came from which logs, and what of these was not read. */
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
