import { z } from "zod";
import { agentLog } from "@/server/agent-logs/schema";
import { fullEntry } from "@/server/audit/schema";
import { eventLog } from "@/server/event-logs/schema";
import { filterText, inOrder, instant, isoTime, positiveInt } from "@/server/wire";
import { TIMELINE_SOURCES, type TimelineSource } from "./vocabulary";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

const source = z.enum(TIMELINE_SOURCES);
const sources = z
  .union([z.array(source), z.string().transform((text) => text.split(",").map((part) => part.trim()))])
  .pipe(z.array(source).min(1))
  .transform((list): TimelineSource[] => [...new Set(list)]);

/** Query of GET /devices/:id/timeline. */
export const timelineInput = z
  .object({
    id: z.guid(),
    sources: sources
      .default([...TIMELINE_SOURCES])
      .describe(`Which logs: any of ${TIMELINE_SOURCES.join(", ")}, separated by commas; all by default`),
    from: instant.optional().describe("Start of the range"),
    to: instant.optional().describe("End of the range"),
    search: filterText.describe("Words of audit entries; a part of the message or source of log entries and events"),
    limit: positiveInt
      .transform((n) => Math.min(n, MAX_LIMIT))
      .default(DEFAULT_LIMIT)
      .describe(`Items of a page, at most ${MAX_LIMIT}`),
    cursor: z.string().min(1).max(400).optional().describe("nextCursor of the page before"),
  })
  .superRefine(inOrder("from", "to"));
export type TimelineInput = z.output<typeof timelineInput>;

const common = { at: isoTime.describe("When it happened"), key: z.string().describe("Identifies the item") };

/** One thing that happened, from any of a device's logs. */
const timelineItem = z.discriminatedUnion("source", [
  z.strictObject({ source: z.literal("audit"), ...common, entry: fullEntry }),
  z.strictObject({ source: z.literal("diagnostic"), ...common, log: agentLog }),
  z.strictObject({ source: z.literal("event"), ...common, event: eventLog }),
]);
export type TimelineItem = z.output<typeof timelineItem>;

/** leftOut names the logs that the caller has no permission to read: nothing of them is in data. */
export const timelinePage = z.strictObject({
  data: z.array(timelineItem).describe("Newest first"),
  nextCursor: z.string().nullable().describe("Of the page that follows; null at the end"),
  leftOut: z.array(source).describe("Logs that the caller may not read"),
});
