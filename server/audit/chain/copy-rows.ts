import { hash } from "node:crypto";
import { COLUMNS, FIELDS, type Field, SEALED_FIELDS } from "@/server/audit/row";
import type { BundleRow } from "./bundle";
import { PAYLOAD_VERSION } from "./chain";
import { byteAt, CopyBinaryReader, type CopyRow, lengthOf, startOf } from "./copy-binary";
import type { Link } from "./verifier";

const asText = (field: Field): string => {
  const { sql, type } = COLUMNS[field];
  if (type === "timestamptz") return `(extract(epoch FROM "${sql}") * 1000)::bigint::text`;
  return type === "text" ? sql : `${sql}::text`;
};

/** A sealed row's fields (SEALED_FIELDS) as expressions for the text that is hashed. */
export const SEALED_COLUMNS = ["prev_checksum", "chain_seq::text", ...FIELDS.map(asText), "checksum"];

/** The same as the columns of a COPY, in which chain_seq must stay the name of the number. */
export const CHAIN_COLUMNS = SEALED_COLUMNS.map((column) =>
  column === "chain_seq::text" ? `${column} AS seq_text` : column,
).join(", ");

const CHECKSUM = SEALED_FIELDS.indexOf("checksum");
const PREV_CHECKSUM = SEALED_FIELDS.indexOf("prevChecksum");
const SEQ = SEALED_FIELDS.indexOf("chainSeq");
const ID = SEALED_FIELDS.indexOf("id");

/** The prefix `v1;` of every payload, in bytes. */
const PREFIX = Buffer.from(`${PAYLOAD_VERSION};`, "latin1");
const [COMMA, SEMICOLON, DASH, ZERO] = [0x2c, 0x3b, 0x2d, 0x30];
/** Up to here a loop copies faster than a call into Node's own copy. */
const SHORT_BYTES = 40;

function textOf(row: CopyRow, field: number): string | null {
  const length = lengthOf(row, field);
  const start = startOf(row, field);
  return length < 0 ? null : row.data.toString("utf8", start, start + length);
}

/** A field's text, reusing `likely` where it is that ASCII text: checksums come twice or three times. */
function textLike(row: CopyRow, field: number, likely: string): string | null {
  const start = startOf(row, field);
  if (lengthOf(row, field) !== likely.length) return textOf(row, field);
  for (let i = 0; i < likely.length; i++)
    if (byteAt(row.data, start + i) !== likely.charCodeAt(i)) return textOf(row, field);
  return likely;
}

/** A field of decimal digits, as the database writes a bigint; any other byte gives a number that no sequence has. */
function numberOf(row: CopyRow, field: number): number {
  let value = 0;
  const start = startOf(row, field);
  for (let at = start; at < start + lengthOf(row, field); at++) {
    const digit = byteAt(row.data, at) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Writes a length in decimal at an offset; returns where it ends. */
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

/** Writes the canonical payload of a row into `into`, byte for byte as it came; returns its length. */
function writePayload(row: CopyRow, into: Buffer): number {
  into.set(PREFIX);
  let end = PREFIX.length;
  for (let field = 0; field < CHECKSUM; field++) {
    const length = lengthOf(row, field);
    if (length < 0) into[end++] = DASH;
    else end = writeDecimal(into, length, end);
    into[end++] = field === CHECKSUM - 1 ? SEMICOLON : COMMA;
  }
  for (let field = 0; field < CHECKSUM; field++) {
    const length = lengthOf(row, field);
    if (length <= 0) continue;
    const start = startOf(row, field);
    if (length > SHORT_BYTES) row.data.copy(into, end, start, start + length);
    else for (let i = 0; i < length; i++) into[end + i] = byteAt(row.data, start + i);
    end += length;
  }
  return end;
}

/** Hashes rows of a COPY over CHAIN_COLUMNS straight from their bytes and emits one link per row. */
export function createLinkReader(onLink: (link: Link) => void): CopyBinaryReader {
  let scratch = Buffer.allocUnsafe(64 * 1024);
  let before = "";
  return new CopyBinaryReader(SEALED_FIELDS.length, (row) => {
    if (scratch.length < row.size + 256) scratch = Buffer.allocUnsafe(row.size * 2 + 256);
    const recomputed = hash("sha256", scratch.subarray(0, writePayload(row, scratch)), "hex");
    const checksum = textLike(row, CHECKSUM, recomputed) ?? "";
    const prevChecksum = textLike(row, PREV_CHECKSUM, before);
    before = checksum;
    onLink({ recomputed, checksum, prevChecksum, seq: numberOf(row, SEQ), id: textOf(row, ID) ?? "" });
  });
}

/** Rows of a COPY over CHAIN_COLUMNS as the lines of an evidence bundle hold them. */
export function createRowReader(onRow: (row: BundleRow) => void): CopyBinaryReader {
  return new CopyBinaryReader(SEALED_FIELDS.length, (row) => {
    const members = SEALED_FIELDS.map((name, field) => {
      const value = textOf(row, field);
      return [name, name === "chainSeq" || name === "timestampMs" ? Number(value) : value];
    });
    onRow({ type: "row", ...Object.fromEntries(members) });
  });
}
