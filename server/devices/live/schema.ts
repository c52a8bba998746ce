import { z } from "zod";
import {
  cutLimit,
  filterText,
  guid,
  inOrder,
  instant,
  isoTime,
  pageShape,
  pagination,
  wordFilter,
  wordIn,
} from "@/server/ground/wire";

/** Spec, Limits: live query timeout. */
export const LIVE_QUERY_TIMEOUT_MS = 30_000;
/** Interval of comment lines on an idle command stream. */
export const STREAM_COMMENT_MS = 15_000;
/** A stream is dead if its process gave no sign of life for this long. */
export const STREAM_DEAD_AFTER_SECONDS = 45;
export const MAX_COMMANDS_PER_AGENT = 64;
const DEFAULT_LIVE_LIMIT = 50;
const MAX_LIVE_LIMIT = 500;
const MAX_LOG_NAME_LENGTH = 255;

/** Spec, Live event entry. */
export const LIVE_LEVELS = ["information", "warning", "error", "critical", "verbose"] as const;
export type LiveLevel = (typeof LIVE_LEVELS)[number];

/** Level names in other vocabularies. */
const LEVEL_ALIASES = new Map<string, LiveLevel>([
  ["info", "information"],
  ["warn", "warning"],
  ["err", "error"],
  ["crit", "critical"],
  ["fatal", "critical"],
  ["debug", "verbose"],
]);

/** Canonical name of a level in any case and vocabulary; undefined if unknown. */
export const canonicalLevel = wordIn(LIVE_LEVELS, LEVEL_ALIASES);

/** A nonnegative number, or the digits of one in a path or query; sixteen digits are a time in microseconds. */
const ordinal = z.union(
  [
    z.int().min(0),
    z
      .string()
      .regex(/^\d{1,16}$/)
      .transform(Number)
      .refine(Number.isSafeInteger),
  ],
  "must be a whole number",
);

const logName = z.string().trim().min(1).max(MAX_LOG_NAME_LENGTH);

const filters = {
  ...pageShape(DEFAULT_LIVE_LIMIT, MAX_LIVE_LIMIT, cutLimit),
  level: wordFilter(LIVE_LEVELS, canonicalLevel),
  source: filterText,
  startTime: instant.optional(),
  endTime: instant.optional(),
  eventId: ordinal.optional(),
};

const startBeforeEnd = inOrder("startTime", "endTime");

const device = { deviceId: guid };
/** The device under its name in /devices paths. */
const deviceById = { id: guid };
const toDeviceId = <T extends { id: string }>({ id, ...rest }: T) => ({ deviceId: id, ...rest });

export const listInput = z.object(device);
export const logInput = z.object({ ...device, name: logName });
export const eventsInput = z.object({ ...device, name: logName, ...filters }).superRefine(startBeforeEnd);
export const eventInput = z.object({ ...device, name: logName, recordId: ordinal });

export const listByIdInput = z.object(deviceById).transform(toDeviceId);
export const logByIdInput = z.object({ ...deviceById, name: logName }).transform(toDeviceId);
export const eventsByIdInput = z
  .object({ ...deviceById, name: logName, ...filters })
  .superRefine(startBeforeEnd)
  .transform(toDeviceId);
export const eventByIdInput = z.object({ ...deviceById, name: logName, recordId: ordinal }).transform(toDeviceId);

/**
 * Part of a log searched by a device, if not all: this many newest entries or bytes, or since a time. matches: where
 * counting stopped. The rest is unknown; without this member everything was searched.
 */
export const searched = z.strictObject({
  entries: z.int().positive().optional(),
  bytes: z.int().positive().optional(),
  matches: z.int().positive().optional(),
  from: isoTime.optional(),
  to: isoTime.optional(),
});
export type Searched = z.output<typeof searched>;

/** Spec, Live event log descriptor; searched is ours: the part counted by recordCount. */
const descriptor = z.strictObject({
  name: z.string(),
  displayName: z.string(),
  recordCount: z.number(),
  maxSize: z.number(),
  retentionDays: z.number(),
  lastWriteTime: z.string(),
  searched: searched.optional(),
});
export type Descriptor = z.output<typeof descriptor>;

/** Spec, Live event entry. */
export const entry = z.strictObject({
  recordId: z.number(),
  timeCreated: z.string(),
  level: z.enum(LIVE_LEVELS),
  source: z.string(),
  eventId: z.number(),
  message: z.string(),
  category: z.string(),
  user: z.string().nullable(),
  computer: z.string(),
  rawXml: z.string(),
});
export type Entry = z.output<typeof entry>;

export const logsOutput = z.strictObject({ data: z.array(descriptor) });
export const logOutput = z.strictObject({ data: descriptor });
export const eventsOutput = z.strictObject({
  data: z.array(entry),
  meta: pagination.extend({ searched: searched.optional() }),
});
export const eventOutput = z.strictObject({ data: entry });

/** Data of a `command` event on an agent's stream; times are ISO 8601. */
const queryParams = z.object({
  logName: z.string(),
  page: z.int().positive(),
  limit: z.int().positive(),
  level: z.enum(LIVE_LEVELS).optional(),
  source: z.string().optional(),
  startTime: isoTime.optional(),
  endTime: isoTime.optional(),
  eventId: z.int().optional(),
});
export type QueryParams = z.output<typeof queryParams>;
const getParams = z.object({ logName: z.string(), recordId: z.int() });
const envelope = { id: z.string(), deadline: isoTime };
export const command = z.discriminatedUnion("name", [
  z.object({ ...envelope, name: z.literal("eventlogs.list"), params: z.object({}) }),
  z.object({ ...envelope, name: z.literal("eventlogs.query"), params: queryParams }),
  z.object({ ...envelope, name: z.literal("eventlogs.get"), params: getParams }),
]);
export type Command = z.output<typeof command>;

/** Code of an answer refused by the door. */
export const BAD_ANSWER = "bad_answer";

/** An agent's answer between our processes. */
export const commandResult = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error: z.object({
      code: z.string(),
      message: z.string(),
      /** Faults of an answer refused by the door. */
      errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    }),
  }),
]);
export type CommandResult = z.output<typeof commandResult>;

/** POST /agents/:id/commands/:commandId/result: `{ok: true, data}` or `{ok: false, error: {code, message}}`. */
export const resultInput = z
  .object({
    id: z.string(),
    commandId: z.string(),
    ok: z.boolean(),
    data: z.unknown().optional(),
    error: z.object({ code: z.string().min(1), message: z.string().default("") }).optional(),
  })
  .superRefine(({ ok, error }, context) => {
    if (!ok && !error) context.addIssue({ code: "custom", path: ["error"], message: "is needed when ok is false" });
  });
export const streamInput = z.object({ id: z.string() });
