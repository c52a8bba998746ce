import { z } from "zod";
import { guid, isoTime, positiveInt } from "@/server/ground/wire";

const MIN_DAYS = 1;
export const MAX_DEVICE_LOG_DAYS = 3650;
/** Policy of a new organization. */
export const DEFAULT_DIAGNOSTIC_DAYS = 30;
export const DEFAULT_EVENT_DAYS = 90;
/** Larger numbers of rows are estimated. */
export const MAX_COUNTED_ROWS = 100_000;

const days = z.int().min(MIN_DAYS).max(MAX_DEVICE_LOG_DAYS);

/** Body of PUT …/device-log-retention. */
export const setInput = z.strictObject({ id: guid, diagnosticDays: days, eventDays: days });

/** Query of GET …/device-log-retention/preview. */
export const previewInput = z.strictObject({
  id: guid,
  diagnosticDays: positiveInt.pipe(days),
  eventDays: positiveInt.pipe(days),
});

/** Rows are counted up to 100,000 and then estimated from the planner's statistics; bytes are always estimated. */
const storage = z.strictObject({
  rows: z.int(),
  isEstimated: z.boolean(),
  bytes: z.int(),
  oldestAt: isoTime.nullable(),
});
export type Storage = z.output<typeof storage>;

/** Without a policy, or before pruneFrom, nothing is removed. lastCleanupAt: last run that removed something. */
export const deviceLogPolicy = z.strictObject({
  orgId: guid,
  configured: z.boolean(),
  diagnosticDays: z.int().nullable(),
  eventDays: z.int().nullable(),
  pruneFrom: isoTime.nullable(),
  lastCleanupAt: isoTime.nullable(),
  updatedAt: isoTime.nullable(),
  storage: z.strictObject({ diagnostic: storage, events: storage }),
});
export type DeviceLogPolicy = z.output<typeof deviceLogPolicy>;

/** Rows that the next run would remove; isAtLeast: counting stopped at 100,000. */
const expired = z.strictObject({ cutoff: isoTime, rows: z.int(), isAtLeast: z.boolean() });
export type Expired = z.output<typeof expired>;
export const deviceLogPreview = z.strictObject({ orgId: guid, diagnostic: expired, events: expired });
