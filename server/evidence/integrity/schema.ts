import { z } from "zod";
import { oneOrg, onePart, partShape } from "@/server/audit/schema";
import { flag, guid, isoTime, pageLimit } from "@/server/ground/wire";

/** Nightly verification as cron in UTC: in quiet hours, before retention. */
export const VERIFICATION_CRON = "15 2 * * *";

/** Query of GET /audit-logs/integrity: the whole chain, the entries between two times, or those of two sequences. */
export const integrityInput = z.object({ orgId: oneOrg, ...partShape }).superRefine(onePart);

/** Input of integrity.verify: a part of a chain, and the caller's id for progress requests. */
export const verifyInput = z.object({ ...integrityInput.shape, runId: guid.optional() }).superRefine(onePart);
export type VerifyInput = z.output<typeof verifyInput>;

export const progressInput = z.object({ runId: guid });
export type ProgressOutput = { rows: number | null };

const BREAK_KINDS = ["altered", "missing", "inserted", "relinked", "truncated", "unsealed", "index"] as const;

const chainBreak = z.strictObject({
  seq: z.int(),
  id: z.string(),
  kind: z.enum(BREAK_KINDS),
  expected: z.string(),
  actual: z.string(),
});
const chainHead = z.strictObject({ seq: z.int(), checksum: z.string() });

/**
 * Verdict of this server. Empty: intact without rows. Unproven: no contradiction, but evidence is missing, as `reasons`
 * say.
 */
const VERDICT_STATUSES = ["intact", "broken", "unproven", "empty"] as const;
export type VerdictStatus = (typeof VERDICT_STATUSES)[number];

/** Rows proven to be covered by our signed checkpoint, and that checkpoint with its verifier keys. */
const covered = z.strictObject({
  firstSeq: z.int().nullable(),
  lastSeq: z.int().nullable(),
  checkpoint: z.strictObject({ size: z.int(), signedAt: isoTime, keys: z.array(z.string()) }).nullable(),
});
export type Covered = z.output<typeof covered>;

/** rowsChecked counts rows of the part; for a time range, rowsRead is the whole chain. */
export const integrityOutput = z.strictObject({
  orgId: guid,
  status: z.enum(VERDICT_STATUSES),
  reasons: z.array(z.string()),
  covered,
  rowsRead: z.int(),
  rowsChecked: z.int(),
  firstSeq: z.int().nullable(),
  lastSeq: z.int().nullable(),
  prunedPrefix: z.strictObject({ throughSeq: z.int(), throughChecksum: z.string().nullable() }).nullable(),
  head: chainHead.nullable(),
  breaks: z.array(chainBreak),
});

/** Query of GET /audit-logs/checkpoints; `sign=true` signs the head now, if it has moved. */
export const checkpointsInput = z.object({
  orgId: oneOrg,
  limit: pageLimit(1000).optional(),
  sign: flag.optional(),
});

/** A signed checkpoint: the root, in base64, of the tree over an organization's first `size` entries. */
const storedCheckpoint = z.strictObject({
  size: z.int(),
  root: z.string(),
  signedAt: isoTime,
  note: z.string(),
  /** Witnesses of the policy that cosigned it. */
  witnesses: z.array(z.strictObject({ name: z.string(), at: isoTime })),
});
export const checkpointsOutput = z.strictObject({
  orgId: guid,
  origin: z.string(),
  publicKeys: z.array(z.string()),
  /** Witnesses asked to cosign each checkpoint. */
  witnesses: z.array(z.string()),
  data: z.array(storedCheckpoint),
});

/** Input of integrity.status. */
export const integrityStatusInput = z.object({ orgId: oneOrg });

/** Origin of an alarm: the nightly run, a signing, a caller's verification, or a head that is not the newest row's. */
const ALARM_SOURCES = ["nightly", "checkpoint", "on demand", "head", "retention", "recording"] as const;
export type AlarmSource = (typeof ALARM_SOURCES)[number];

const VERIFICATION_KINDS = ["nightly", "whole", "range"] as const;

/**
 * State of a whole chain: broken while an alarm is open; intact through a sequence if every retained row up to it was
 * read within 31 nights; else unproven, with the number of unread rows. Empty before the first row.
 */
const state = z.strictObject({
  status: z.enum(VERDICT_STATUSES),
  throughSeq: z.int().nullable(),
  rowsUnread: z.int(),
  reasons: z.array(z.string()),
});
export type ChainState = z.output<typeof state>;

/**
 * Known facts about a chain, without reading it: last verification, open alarm, head, coverage by a checkpoint kept
 * outside the database, destinations of checkpoints, and the next nightly run.
 */
export const integrityStatus = z.strictObject({
  orgId: guid,
  state,
  last: z
    .strictObject({
      ranAt: isoTime,
      kind: z.enum(VERIFICATION_KINDS),
      status: z.enum(VERDICT_STATUSES),
      reasons: z.array(z.string()),
      rowsChecked: z.int(),
      firstSeq: z.int().nullable(),
      lastSeq: z.int().nullable(),
      breaks: z.array(chainBreak),
    })
    .nullable(),
  alarm: z
    .strictObject({
      at: isoTime,
      source: z.enum(ALARM_SOURCES),
      breaks: z.array(chainBreak),
    })
    .nullable(),
  head: chainHead.nullable(),
  prunedThroughSeq: z.int(),
  /** Window of the newest receipt and the entry that set it, in words; null if nothing is pruned. */
  prunedUnder: z.string().nullable(),
  anchored: z.strictObject({ seq: z.int(), signedAt: isoTime }).nullable(),
  sinks: z.array(z.strictObject({ name: z.enum(["file", "log", "webhook"]), detail: z.string() })),
  nextRunAt: isoTime.nullable(),
});
export type IntegrityStatus = z.output<typeof integrityStatus>;

/** Seal and integrity of one entry; checkpoint is the first signed one at or after it, whose tree was searched. */
export const entryStatus = z.strictObject({
  status: z.enum(["intact", "broken", "unproven"]),
  /** Reasons that it is unproven, one sentence each. */
  reasons: z.array(z.string()),
  readAt: isoTime,
  breaks: z.array(chainBreak),
  checkpoint: z.strictObject({ seq: z.int(), signedAt: isoTime }).nullable(),
  lastVerified: z.strictObject({ at: isoTime, status: z.enum(VERDICT_STATUSES) }).nullable(),
  checksum: z.string(),
  prevChecksum: z.string().nullable(),
});
export type EntryStatus = z.output<typeof entryStatus>;
