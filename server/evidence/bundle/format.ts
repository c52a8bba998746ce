import { z } from "zod";
import { fromBase64 } from "@/server/evidence/tree/signed-note";
import { isInstant } from "@/server/evidence/tree/statement";
import { HASH_BYTES, MAX_PROOF_HASHES } from "@/server/evidence/tree/tree";

/**
 * The evidence bundle, version 2, as NDJSON: a header, the signed checkpoint, optionally a time-stamp, a proof from an
 * older checkpoint and retention's receipt; then rows and skips over all leaves of the tree in order; and the seal,
 * which signs everything before it. Row lines have their own reader (row-line.ts).
 */
export const BUNDLE_FORMAT = "trailmark-evidence";

const HEADER = /^\{"type":"header","format":"trailmark-evidence","version":2,/;

/** True if a first line starts like a bundle's header. */
export const isHeader = (firstLine: string): boolean => HEADER.test(firstLine);

const ANY_VERSION = /^\{"type":"header","format":"trailmark-evidence","version":(\d{1,9})?/;
const ANY_PROOF = /^c2sp\.org\/tlog-proof@/;

/** Reason that a first line is not a header of this version. */
export function whyNoHeader(firstLine: string): string {
  const other = ANY_VERSION.exec(firstLine);
  if (other)
    return `it is an evidence bundle of version ${other[1] ?? "unknown"}, which is not supported: version 2 is`;
  if (ANY_PROOF.test(firstLine)) return "it is the proof of an entry, of a version that this verifier does not know";
  return "it is no evidence bundle: it does not begin with the header of one";
}

/** Largest sequence or size accepted; JavaScript counts up to it exactly. */
const MAX_SEQUENCE = 999_999_999_999_999;
/** A range has at most twice the tree's height of perfect subtrees. */
const MAX_SKIP_HASHES = 2 * MAX_PROOF_HASHES;

const text = z.string();
const sequence = z.int().min(1).max(MAX_SEQUENCE);
const instant = z.string().refine(isInstant, "is not a time in UTC");
const hash = z.string().refine((base64) => fromBase64(base64)?.length === HASH_BYTES, "is not the base64 of a hash");
const hashes = (max: number) => z.array(hash).max(max);

const range = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("whole") }),
  z.strictObject({ kind: z.literal("sequence"), first: sequence, last: sequence }),
  z.strictObject({ kind: z.literal("time"), from: instant.nullable(), to: instant.nullable() }),
]);
/** Requested range; both ends are included, null is open. */
export type BundleRange = z.output<typeof range>;

/** Open alarm on the log when the bundle was made: start time, and a description of the first finding. */
const alarm = z.strictObject({ since: instant, found: text });
export type BundleAlarm = z.output<typeof alarm>;

const LINES = {
  header: z.strictObject({
    type: z.literal("header"),
    format: z.literal(BUNDLE_FORMAT),
    version: z.literal(2),
    origin: text,
    orgId: z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    organization: text,
    range,
    createdAt: instant,
    publicKeys: z.array(text),
    alarm: alarm.optional(),
  }),
  checkpoint: z.strictObject({ type: z.literal("checkpoint"), note: text }),
  timestamp: z.strictObject({
    type: z.literal("timestamp"),
    token: text.refine((base64) => fromBase64(base64) !== null, "is not base64"),
  }),
  since: z.strictObject({
    type: z.literal("since"),
    size: z.int().min(0).max(MAX_SEQUENCE),
    hashes: hashes(MAX_PROOF_HASHES),
  }),
  receipt: z.strictObject({ type: z.literal("receipt"), note: text }),
  skip: z.strictObject({ type: z.literal("skip"), through: sequence, hashes: hashes(MAX_SKIP_HASHES) }),
  end: z.strictObject({ type: z.literal("end"), note: text }),
};

export type BundleHeader = z.output<(typeof LINES)["header"]>;
export type SinceLine = z.output<(typeof LINES)["since"]>;
type LineType = keyof typeof LINES;
/** Any line of a bundle except a row. */
export type BundleLine = { [T in LineType]: z.output<(typeof LINES)[T]> }[LineType];

/** A line that violates the format. */
export class BadLine extends Error {}

const isLineType = (type: unknown): type is LineType => typeof type === "string" && Object.hasOwn(LINES, type);

/** Rejects lone surrogates: no stored text has one, and not every reader accepts them. */
const wellFormed = (_: string, value: unknown): unknown =>
  typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value;

/** Describes a fault of a line; refinements of the shape bring their own text. */
const inWords = ({ code }: { code: string | undefined }): string =>
  code === "unrecognized_keys"
    ? "it has a member that the format does not know"
    : "it is missing, or not what the format says";

/** Reads a line of this shape in its canonical form. @throws BadLine otherwise */
function readShape<T extends z.ZodType>(shape: T, value: unknown, line: string): z.output<T> {
  const parsed = shape.safeParse(value, { error: inWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new BadLine([issue?.path.join("."), issue?.message].filter(Boolean).join(": "));
  }
  if (JSON.stringify(parsed.data, wellFormed) !== line) throw new BadLine("it is not written as the format says");
  return parsed.data;
}

/** Parses a line of JSON. @throws BadLine for anything else */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new BadLine("it is not JSON");
  }
}

/**
 * Reads a line other than a row strictly: serializing it again must give the same text, so that nothing can be doubled,
 * reordered or added.
 * @throws BadLine with a reason for the reader
 */
export function readLine(line: string): BundleLine {
  const value = jsonOf(line);
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : null;
  if (!isLineType(type)) throw new BadLine("it is of an unknown type");
  return readShape(LINES[type], value, line);
}
