import { z } from "zod";

/**
 * The evidence bundle, version 1: NDJSON, one object a line, told apart by `type`. A header; the signed checkpoints that
 * cover the rows; retention's receipt where the beginning was pruned; the rows of one chain in order, `details` as the
 * text that was hashed; an end line with the number of rows and the SHA-256 of everything before it. Checkpoints stand
 * before the rows, so that a reader judges a million rows as they come and keeps none.
 */
export const BUNDLE_FORMAT = "trailmark-evidence";
export const BUNDLE_VERSION = 1;

const text = z.string();
const maybeText = z.string().nullable();
const checksum = z.string().regex(/^[0-9a-f]{64}$/);

export const bundleHeader = z.object({
  type: z.literal("header"),
  format: z.literal(BUNDLE_FORMAT),
  version: z.literal(BUNDLE_VERSION),
  orgId: z.guid(),
  organization: text,
  /** What was asked for; the rows may go on to the checkpoint that covers the last of them. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  createdAt: text,
  origin: text,
  /** C2SP verifier keys of the installation. Compare them with the ones that it publishes. */
  publicKeys: z.array(text),
  /** The row before the first one: its sequence (0: the chain begins here) and checksum where it was still there. */
  start: z.object({ seq: z.int(), checksum: checksum.nullable() }),
});
export type BundleHeader = z.output<typeof bundleHeader>;

export const bundleRow = z.object({
  type: z.literal("row"),
  chainSeq: z.int().positive(),
  id: text,
  orgId: text,
  timestampMs: z.int(),
  actorType: text,
  actorId: text,
  actorEmail: maybeText,
  action: text,
  resourceType: text,
  resourceId: maybeText,
  resourceName: maybeText,
  details: maybeText,
  ipAddress: maybeText,
  userAgent: maybeText,
  result: text,
  errorMessage: maybeText,
  prevChecksum: checksum.nullable(),
  checksum,
});
export type BundleRow = z.output<typeof bundleRow>;

export const bundleCheckpoint = z.object({ type: z.literal("checkpoint"), note: text });
export const bundleReceipt = z.object({
  type: z.literal("receipt"),
  throughSeq: z.int(),
  throughChecksum: checksum.nullable(),
});
export const bundleEnd = z.object({ type: z.literal("end"), rows: z.int(), digest: checksum });

/** Names of the row's members in the order of CHAIN_COLUMNS, the order of the canonical payload. */
export const ROW_FIELDS = [
  "prevChecksum",
  "chainSeq",
  "id",
  "orgId",
  "timestampMs",
  "actorType",
  "actorId",
  "actorEmail",
  "action",
  "resourceType",
  "resourceId",
  "resourceName",
  "details",
  "ipAddress",
  "userAgent",
  "result",
  "errorMessage",
  "checksum",
] as const;
