import { z } from "zod";
import { COLUMNS, FIELDS, type Field, type NullableField } from "@/server/audit/row";

/**
 * The evidence bundle, version 1: NDJSON, one object per line, distinguished by `type`. A header; the signed checkpoints that
 * cover the rows; retention's receipt where the beginning was pruned; the rows of one chain in order, `details` as the
 * text that was hashed; an end line with the number of rows and the SHA-256 of everything before it. Checkpoints stand
 * before the rows, so that a reader judges a million rows as they come and keeps none.
 */
const BUNDLE_FORMAT = "trailmark-evidence";
const BUNDLE_VERSION = 1;

const text = z.string();
const maybeText = z.string().nullable();
const checksum = z.string().regex(/^[0-9a-f]{64}$/);

export const bundleHeader = z.object({
  type: z.literal("header"),
  format: z.literal(BUNDLE_FORMAT),
  version: z.literal(BUNDLE_VERSION),
  orgId: z.guid(),
  organization: text,
  /** What was asked for; the rows may continue to the checkpoint that covers the last of them. */
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

type TextField = Exclude<Field, "timestamp">;
type TextShape = { [F in TextField]: F extends NullableField ? typeof maybeText : typeof text };
const textShape = Object.fromEntries(
  FIELDS.filter((field) => field !== "timestamp").map((field) => [field, COLUMNS[field].nullable ? maybeText : text]),
) as TextShape;

/** A sealed row; its members are in the order of the canonical payload. */
const bundleRow = z.object({
  type: z.literal("row"),
  ...textShape,
  timestampMs: z.int(),
  chainSeq: z.int().positive(),
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
