import { z } from "zod";
import { fullEntry } from "@/server/audit/schema";
import { agentLog } from "@/server/devices/logs/agent-log-schema";
import { eventLog } from "@/server/devices/logs/event-log-schema";
import { filterText, guid, inOrder, instant, isoTime, pageLimit, positiveInt } from "@/server/ground/wire";
import {
  DEFAULT_AROUND_LIMIT,
  DEFAULT_AROUND_MINUTES,
  MAX_AROUND_LIMIT,
  TIES,
  TIMELINE_SOURCES,
  type Tie,
  type TimelineSource,
  USUAL_TIES,
} from "./vocabulary";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

const source = z.enum(TIMELINE_SOURCES);
/** Some words, as a list or comma-separated; the default if omitted or empty. */
const someOf = <T extends string>(word: z.ZodType<T, T>, usual: readonly T[]) =>
  z
    .union([
      z.array(word),
      z.string().transform((text) => (text === "" ? [...usual] : text.split(",").map((part) => part.trim()))),
    ])
    .pipe(z.array(word).min(1))
    .transform((list): T[] => [...new Set(list)])
    .default([...usual]);
const sources = someOf<TimelineSource>(source, TIMELINE_SOURCES);

/** Query of GET /devices/:id/timeline. */
export const timelineInput = z
  .object({
    id: guid,
    sources: sources.describe(`Which logs: any of ${TIMELINE_SOURCES.join(", ")}, separated by commas; all by default`),
    from: instant.optional().describe("Start of the range"),
    to: instant.optional().describe("End of the range"),
    search: filterText.describe(
      "Words, all of which occur: in an audit entry, or in the message, source and fields of a log entry or event; in quotes a phrase",
    ),
    limit: pageLimit(MAX_LIMIT).default(DEFAULT_LIMIT).describe(`Items of a page, at most ${MAX_LIMIT}`),
    cursor: z.string().min(1).max(400).optional().describe("nextCursor of the page before"),
  })
  .superRefine(inOrder("from", "to"));
export type TimelineInput = z.output<typeof timelineInput>;

const common = { at: isoTime.describe("When it happened"), key: z.string().describe("Identifies the item") };

/** An item from any of a device's logs. */
const timelineItem = z.discriminatedUnion("source", [
  z.strictObject({ source: z.literal("audit"), ...common, entry: fullEntry }),
  z.strictObject({ source: z.literal("diagnostic"), ...common, log: agentLog }),
  z.strictObject({ source: z.literal("event"), ...common, event: eventLog }),
]);
export type TimelineItem = z.output<typeof timelineItem>;

/** leftOut names logs that the caller may not read; data has none of their items. */
export const timelinePage = z.strictObject({
  data: z.array(timelineItem).describe("Newest first"),
  nextCursor: z.string().nullable().describe("Of the page that follows; null at the end"),
  leftOut: z.array(source).describe("Logs that the caller may not read"),
});

const MAX_MINUTES = 60;
const tie = z.enum(TIES);

/** Query of GET /audit-logs/logs/:id/around. */
export const aroundInput = z.object({
  id: guid,
  minutes: positiveInt
    .refine((n) => n <= MAX_MINUTES, `is over ${MAX_MINUTES}`)
    .default(DEFAULT_AROUND_MINUTES)
    .describe(`Minutes before and after the entry, at most ${MAX_MINUTES}`),
  ties: someOf<Tie>(tie, USUAL_TIES).describe(
    `What others have in common with the entry, any of it: ${TIES.join(", ")}; by default all but the last`,
  ),
  sources: sources.describe("Which logs; the device's own only where device is a tie"),
  limit: pageLimit(MAX_AROUND_LIMIT)
    .default(DEFAULT_AROUND_LIMIT)
    .describe(`Items on each side of the entry, at most ${MAX_AROUND_LIMIT}, the closest ones`),
});
export type AroundInput = z.output<typeof aroundInput>;

/** Items around an entry, newest first, including the entry. */
export const aroundPage = z.strictObject({
  entry: fullEntry.describe("The entry in the middle"),
  device: z
    .strictObject({ id: z.string(), hostname: z.string(), isKnown: z.boolean() })
    .nullable()
    .describe("The device that the entry is about, comes from or names; isKnown: it can be opened"),
  ties: z.array(tie).describe("What the entry has that others can have in common with it"),
  data: z.array(
    z.strictObject({ item: timelineItem, ties: z.array(tie).describe("What it has in common with the entry") }),
  ),
  hasOlder: z.boolean().describe("There is more in the minutes before than the limit"),
  hasNewer: z.boolean().describe("There is more in the minutes after than the limit"),
  leftOut: z.array(source).describe("Logs that the caller may not read"),
});
