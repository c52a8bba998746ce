import { hash } from "node:crypto";
import { type BundleRow, ROW_FIELDS } from "./bundle";
import { PAYLOAD_VERSION } from "./chain";
import { CopyBinaryReader, type CopyRow } from "./copy-binary";
import type { Link } from "./verifier";

/** The payload's fields in its order, each cast to text, then the stored checksum (ROW_FIELDS names them). */
export const CHAIN_COLUMNS = `prev_checksum, chain_seq::text AS seq_text, id::text, org_id::text,
  (extract(epoch FROM "timestamp") * 1000)::bigint::text, actor_type, actor_id::text, actor_email, action, resource_type,
  resource_id::text, resource_name, details::text, ip_address, user_agent, result, error_message, checksum`;

const FIELDS = ROW_FIELDS.length;
const PAYLOAD_FIELDS = FIELDS - 1;
const SEQ = 1;
const ID = 2;

/** The prefix `v1;` of every payload, in bytes. */
const PREFIX = Buffer.from(`${PAYLOAD_VERSION};`, "latin1");
const [COMMA, SEMICOLON, DASH, ZERO] = [0x2c, 0x3b, 0x2d, 0x30];
/** Up to here a loop copies faster than a call into Node's own copy. */
const SHORT_BYTES = 40;

function textOf({ data, starts, lengths }: CopyRow, field: number): string | null {
  const length = lengths[field] as number;
  const start = starts[field] as number;
  return length < 0 ? null : data.toString("utf8", start, start + length);
}

/** A field's text, without making it anew where it is the same ASCII text as `likely`: checksums come twice or thrice. */
function textLike(row: CopyRow, field: number, likely: string): string | null {
  const { data, starts, lengths } = row;
  const start = starts[field] as number;
  if (lengths[field] !== likely.length) return textOf(row, field);
  for (let i = 0; i < likely.length; i++) if (data[start + i] !== likely.charCodeAt(i)) return textOf(row, field);
  return likely;
}

/** A field of decimal digits, as the database writes a bigint; any other byte gives a number that no sequence has. */
function numberOf({ data, starts, lengths }: CopyRow, field: number): number {
  let value = 0;
  for (let at = starts[field] as number, end = at + (lengths[field] as number); at < end; at++) {
    const digit = (data[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Writes a length in decimal at an offset; answers where it ends. */
function writeDecimal(into: Buffer, value: number, at: number): number {
  let end = at + 1;
  for (let rest = value; rest > 9; rest = (rest / 10) | 0) end++;
  let rest = value;
  for (let place = end - 1; place >= at; place--) {
    into[place] = ZERO + (rest % 10);
    rest = (rest / 10) | 0;
  }
  return end;
}

/** Writes the canonical payload of a row into `into`, byte for byte as it came; answers its length. */
function writePayload({ data, starts, lengths }: CopyRow, into: Buffer): number {
  into.set(PREFIX);
  let end = PREFIX.length;
  for (let field = 0; field < PAYLOAD_FIELDS; field++) {
    const length = lengths[field] as number;
    if (length < 0) into[end++] = DASH;
    else end = writeDecimal(into, length, end);
    into[end++] = field === PAYLOAD_FIELDS - 1 ? SEMICOLON : COMMA;
  }
  for (let field = 0; field < PAYLOAD_FIELDS; field++) {
    const length = lengths[field] as number;
    if (length <= 0) continue;
    const start = starts[field] as number;
    if (length > SHORT_BYTES) data.copy(into, end, start, start + length);
    else for (let i = 0; i < length; i++) into[end + i] = data[start + i] as number;
    end += length;
  }
  return end;
}

/** Hashes rows of a COPY over CHAIN_COLUMNS straight from their bytes and hands out one link a row. */
export function createLinkReader(onLink: (link: Link) => void): CopyBinaryReader {
  let scratch = Buffer.allocUnsafe(64 * 1024);
  let before = "";
  return new CopyBinaryReader(FIELDS, (row) => {
    if (scratch.length < row.size + 256) scratch = Buffer.allocUnsafe(row.size * 2 + 256);
    const recomputed = hash("sha256", scratch.subarray(0, writePayload(row, scratch)), "hex");
    const checksum = textLike(row, PAYLOAD_FIELDS, recomputed) ?? "";
    const prevChecksum = textLike(row, 0, before);
    before = checksum;
    onLink({ recomputed, checksum, prevChecksum, seq: numberOf(row, SEQ), id: textOf(row, ID) ?? "" });
  });
}

/** Rows of a COPY over CHAIN_COLUMNS as the lines of an evidence bundle hold them. */
export function createRowReader(onRow: (row: BundleRow) => void): CopyBinaryReader {
  return new CopyBinaryReader(FIELDS, (row) => {
    const found: Record<string, unknown> = { type: "row" };
    for (let field = 0; field < FIELDS; field++) {
      const name = ROW_FIELDS[field] as string;
      const value = textOf(row, field);
      found[name] = name === "chainSeq" || name === "timestampMs" ? Number(value) : value;
    }
    onRow(found as BundleRow);
  });
}
