import { z } from "zod";
import { agentVersion } from "@/server/devices/agents/schema";
import {
  columnText,
  cutLimit,
  exactTexts,
  filterText,
  guid,
  inOrder,
  instant,
  isoTime,
  pageShape,
  wordsFilter,
} from "@/server/ground/wire";

/** Spec, Limits. */
export const MAX_LOGS_PER_REQUEST = 500;
const DEFAULT_LOGS_LIMIT = 100;
const MAX_LOGS_LIMIT = 1000;

/** Spec, Agent diagnostic log. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Other level names accepted by filters; submissions are strict. */
const LEVEL_ALIASES = new Map<string, LogLevel>([
  ["information", "info"],
  ["warning", "warn"],
  ["err", "error"],
]);

/** One entry of POST /agents/:id/logs. */
const logEntry = z.object({
  // The device's time, even if wrong: retention uses the time of receipt.
  timestamp: instant,
  level: z.enum(LOG_LEVELS),
  component: columnText(100),
  message: z.string(),
  fields: z.record(z.string(), z.unknown()).nullish(),
  agentVersion: agentVersion.nullish(),
});
export type LogEntry = z.output<typeof logEntry>;
/** The wire form from an agent: the timestamp is text. */
export type WireLogEntry = z.input<typeof logEntry>;

export const ingestInput = z.object({ id: z.string(), logs: z.array(logEntry).max(MAX_LOGS_PER_REQUEST) });

export const ingestOutput = z.strictObject({ received: z.int() });

/** Query of GET /devices/:id/diagnostic-logs. */
export const listInput = z
  .object({
    id: guid,
    level: wordsFilter(LOG_LEVELS, LEVEL_ALIASES),
    component: exactTexts,
    since: instant.optional(),
    until: instant.optional(),
    search: filterText,
    ...pageShape(DEFAULT_LOGS_LIMIT, MAX_LOGS_LIMIT, cutLimit),
  })
  .superRefine(inOrder("since", "until"));

export const agentLog = z.strictObject({
  id: guid,
  deviceId: guid,
  orgId: guid,
  timestamp: isoTime,
  level: z.enum(LOG_LEVELS),
  component: z.string(),
  message: z.string(),
  fields: z.record(z.string(), z.unknown()).nullable(),
  agentVersion: z.string().nullable(),
  createdAt: isoTime,
});
export type AgentLog = z.output<typeof agentLog>;

export const agentLogPage = z.strictObject({
  logs: z.array(agentLog),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
