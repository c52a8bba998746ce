import { z } from "zod";
import {
  columnText,
  cutLimit,
  exactTexts,
  filterText,
  guid,
  happenedAt,
  inOrder,
  instant,
  isoTime,
  pageShape,
  pagination,
  wordsFilter,
} from "@/server/ground/wire";

/** Limit of the wire contract; page limits are the spec's. */
export const MAX_EVENTS_PER_REQUEST = 500;
const DEFAULT_EVENTS_LIMIT = 50;
const MAX_EVENTS_LIMIT = 500;

/** Spec, Stored device event log. */
export const EVENT_LEVELS = ["info", "warning", "error", "critical"] as const;
export const EVENT_CATEGORIES = ["security", "hardware", "application", "system"] as const;
export type EventLevel = (typeof EVENT_LEVELS)[number];
export type EventCategory = (typeof EVENT_CATEGORIES)[number];

/** Other level names accepted by filters; submissions are strict. */
const LEVEL_ALIASES = new Map<string, EventLevel>([
  ["information", "info"],
  ["warn", "warning"],
  ["err", "error"],
  ["crit", "critical"],
]);

/** One event of PUT /agents/:id/eventlogs. eventId identifies an occurrence within its source. */
export const event = z.object({
  timestamp: happenedAt,
  level: z.enum(EVENT_LEVELS),
  category: z.enum(EVENT_CATEGORIES),
  source: columnText(255),
  eventId: columnText(100).nullish(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).nullish(),
});
export type DeviceEvent = z.output<typeof event>;
/** The wire form from an agent: the timestamp is text. */
export type WireEvent = z.input<typeof event>;

export const ingestInput = z.object({ id: z.string(), events: z.array(event).max(MAX_EVENTS_PER_REQUEST) });

/** count is the number of new rows, without events already stored. */
export const ingestOutput = z.strictObject({ success: z.literal(true), count: z.int() });

/** Query of GET /devices/:id/eventlogs. */
export const listInput = z
  .object({
    id: guid,
    category: wordsFilter(EVENT_CATEGORIES),
    level: wordsFilter(EVENT_LEVELS, LEVEL_ALIASES),
    source: exactTexts,
    search: filterText.describe("A part of the message"),
    startDate: instant.optional(),
    endDate: instant.optional(),
    ...pageShape(DEFAULT_EVENTS_LIMIT, MAX_EVENTS_LIMIT, cutLimit),
  })
  .superRefine(inOrder("startDate", "endDate"));
export type ListInput = z.output<typeof listInput>;

export const eventLog = z.strictObject({
  id: guid,
  deviceId: guid,
  orgId: guid,
  timestamp: isoTime,
  level: z.enum(EVENT_LEVELS),
  category: z.enum(EVENT_CATEGORIES),
  source: z.string(),
  eventId: z.string().nullable(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).nullable(),
  createdAt: isoTime,
});
export type EventLog = z.output<typeof eventLog>;

export const eventLogPage = z.strictObject({ data: z.array(eventLog), pagination });
