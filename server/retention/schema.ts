import { z } from "zod";
import { guid, isoTime, positiveInt } from "@/server/ground/wire";

export const MIN_RETENTION_DAYS = 1;
export const MAX_RETENTION_DAYS = 3650;
export const RETENTION_PRESETS_DAYS = [90, 180, 365, 730, 2555] as const;

/** Rows per pruning transaction: few enough not to stall writers; each adds a receipt to the chain. */
export const PRUNE_SLICE_ROWS = 20_000;
/** Daily pruning as cron in UTC: in quiet hours, an hour after verification. */
export const RETENTION_CRON = "15 3 * * *";

const days = z.int().min(MIN_RETENTION_DAYS).max(MAX_RETENTION_DAYS);

/** Body of PUT …/audit-retention. archiveToS3 must match reality: a data stream makes it true. */
export const setInput = z.strictObject({
  id: guid,
  retentionDays: days,
  archiveToS3: z.boolean().optional(),
});

/** Query of GET …/audit-retention/preview. */
export const previewInput = z.strictObject({ id: guid, retentionDays: positiveInt.pipe(days) });

/** Organizations per request, as many as the Organizations page shows. */
const MAX_ORGANIZATIONS = 1_001;
export const manyInput = z.strictObject({
  orgId: z.array(guid).min(1).max(MAX_ORGANIZATIONS),
  retentionDays: days,
});

/**
 * Entries that the next run would remove, per affected organization. alarmed: those protected only by an open alarm.
 */
export const manyPreview = z.strictObject({
  retentionDays: z.int(),
  entries: z.int(),
  organizations: z.array(z.strictObject({ orgId: guid, entries: z.int(), to: isoTime.nullable() })),
  alarmed: z.array(guid),
});

/** changed: number of organizations that had another retention, or none. */
export const manyChanged = z.strictObject({ organizations: z.int(), changed: z.int() });

/** Spec, Audit retention policy; without a policy, configured is false and the other members are null. */
export const policy = z.strictObject({
  orgId: guid,
  configured: z.boolean(),
  retentionDays: z.int().nullable(),
  archiveToS3: z.boolean(),
  lastCleanupAt: isoTime.nullable(),
  createdAt: isoTime.nullable(),
  updatedAt: isoTime.nullable(),
});
export type Policy = z.output<typeof policy>;

/**
 * Rows that the next run would remove: the longest start of the chain past the window. from and to are the times of its
 * first and last row. heldBy is the row that ends it while later rows are expired; until is when it will be past the
 * window. Nothing is removed during an alarm, open since alarmSince.
 */
export const preview = z.strictObject({
  orgId: guid,
  retentionDays: z.int(),
  cutoff: isoTime,
  rows: z.int(),
  firstSeq: z.int().nullable(),
  lastSeq: z.int().nullable(),
  from: isoTime.nullable(),
  to: isoTime.nullable(),
  heldBy: z.strictObject({ seq: z.int(), timestamp: isoTime, until: isoTime }).nullable(),
  alarmSince: isoTime.nullable(),
});

/** The policy with facts for its page. Without the admin connection nothing is ever pruned. */
export const policyStatus = policy.extend({ pruningEnabled: z.boolean(), nextRunAt: isoTime.nullable() });
