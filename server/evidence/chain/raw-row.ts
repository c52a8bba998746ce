import { hash } from "node:crypto";
import type { CopyRow } from "@/db/copy/copy-binary";
import { COLUMNS, type Field, SEALED_FIELDS } from "@/server/audit/row";
import { PayloadWriter } from "./chain";
import type { Link } from "./verifier";

/**
 * A sealed row in the form that the database sends fastest: UUIDs, times and numbers in binary, converted here to the
 * hashed text, which saves the database a third of its work. Only the checksum becomes a string.
 */

/** Encoding of a field: text, 16 bytes, a number, or microseconds since 2000; details as the text of the jsonb. */
const [TEXT, UUID, NUMBER, TIME] = [0, 1, 2, 3];
const KIND_OF = { text: TEXT, jsonb: TEXT, uuid: UUID, timestamptz: TIME };
const CHAIN_FIELDS: Record<string, { sql: string; kind: number }> = {
  prevChecksum: { sql: "prev_checksum", kind: TEXT },
  chainSeq: { sql: "audit_logs.chain_seq", kind: NUMBER },
  checksum: { sql: "checksum", kind: TEXT },
};

function shapeOf(field: string): { sql: string; kind: number } {
  const own = CHAIN_FIELDS[field];
  if (own) return own;
  const { sql, type } = COLUMNS[field === "timestampMs" ? "timestamp" : (field as Field)];
  return { sql: type === "jsonb" ? `${sql}::text` : `"${sql}"`, kind: KIND_OF[type] };
}

const SHAPE = SEALED_FIELDS.map(shapeOf);
/** Columns of a binary COPY for RawRow. */
export const RAW_COLUMNS = SHAPE.map(({ sql }) => sql).join(", ");
const KINDS = Uint8Array.from(SHAPE, ({ kind }) => kind);

const CHECKSUM = SEALED_FIELDS.indexOf("checksum");
const PREV_CHECKSUM = SEALED_FIELDS.indexOf("prevChecksum");
const SEQ = SEALED_FIELDS.indexOf("chainSeq");
const ID = SEALED_FIELDS.indexOf("id");

const [DASH, DOT] = [0x2d, 0x2e];
const HEX_DIGITS = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
const TWO_32 = 2 ** 32;
const EPOCH_2000_MS = Date.UTC(2000, 0, 1);
/** Maximum growth of a binary field as text: 36 for 16 bytes (UUID), up to 22 for 8 (number, time). */
const MAX_GROWTH = 3;

/** Hashes one row at a time and compares the result with its checksum. */
export class RawRow {
  readonly #writer = new PayloadWriter();
  #row: CopyRow = { data: Buffer.alloc(0), starts: new Int32Array(0), lengths: new Int32Array(0), size: 0 };
  #buffer: ArrayBufferLike = new ArrayBuffer(0);
  #from = new DataView(this.#buffer);
  seq = 0;
  /** Checksum computed from the contents. */
  recomputed = "";
  /** True if it equals the stored checksum. */
  isUnaltered = false;

  /** Reads the next row of a COPY of RAW_COLUMNS. */
  read(row: CopyRow): void {
    this.#row = row;
    if (row.data.buffer !== this.#buffer) {
      this.#buffer = row.data.buffer;
      this.#from = new DataView(this.#buffer);
    }
    this.seq = this.#number(SEQ);
    this.recomputed = hash("sha256", this.#payload(), "hex");
    this.isUnaltered = this.#is(CHECKSUM, this.recomputed);
  }

  /** True if the row names this checksum as its predecessor's. */
  links(checksum: string): boolean {
    return this.#is(PREV_CHECKSUM, checksum);
  }

  get checksum(): string {
    return this.isUnaltered ? this.recomputed : (this.#text(CHECKSUM) ?? "");
  }

  /**
   * The row as a link for the judge; `before` is its probable previous checksum, to avoid creating the string again.
   */
  toLink(before = ""): Link {
    const { seq, recomputed, checksum } = this;
    const prevChecksum = before !== "" && this.links(before) ? before : this.#text(PREV_CHECKSUM);
    return { seq, recomputed, checksum, prevChecksum, id: this.#id() };
  }

  #length(field: number): number {
    return this.#row.lengths[field] ?? 0;
  }

  #start(field: number): number {
    return this.#row.data.byteOffset + (this.#row.starts[field] ?? 0);
  }

  #number(field: number): number {
    const at = this.#start(field);
    return this.#from.getInt32(at) * TWO_32 + this.#from.getUint32(at + 4);
  }

  #text(field: number): string | null {
    const length = this.#length(field);
    const start = this.#row.starts[field] ?? 0;
    return length < 0 ? null : this.#row.data.toString("utf8", start, start + length);
  }

  #is(field: number, text: string): boolean {
    if (this.#length(field) !== text.length) return false;
    const from = this.#from;
    const start = this.#start(field);
    for (let i = 0; i < text.length; i++) if (from.getUint8(start + i) !== text.charCodeAt(i)) return false;
    return true;
  }

  #id(): string {
    const at = this.#row.starts[ID] ?? 0;
    const hex = this.#row.data.toString("hex", at, at + 16);
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  }

  #payload(): Uint8Array {
    const writer = this.#writer;
    writer.begin(this.#row.size * MAX_GROWTH);
    for (let field = 0; field < CHECKSUM; field++) {
      if (this.#length(field) < 0) writer.writeNull();
      else {
        this.#write(field);
        writer.endField();
      }
    }
    return writer.payload();
  }

  #write(field: number): void {
    const kind = KINDS[field];
    if (kind === UUID) this.#writeUuid(this.#start(field));
    else if (kind === NUMBER) this.#writer.writeNumber(this.seq);
    else if (kind === TIME) this.#writeTime(this.#start(field));
    else this.#copy(this.#start(field), this.#length(field));
  }

  /** Copies whole words first: a byte loop takes three times as long, a call to Node's own copy four times. */
  #copy(start: number, length: number): void {
    const { view: into, end } = this.#writer;
    const from = this.#from;
    let i = 0;
    for (; i + 4 <= length; i += 4) into.setUint32(end + i, from.getUint32(start + i, true), true);
    for (; i < length; i++) into.setUint8(end + i, from.getUint8(start + i));
    this.#writer.end = end + length;
  }

  #writeUuid(start: number): void {
    const { bytes } = this.#writer;
    const from = this.#from;
    let { end } = this.#writer;
    for (let i = 0; i < 16; i++) {
      const byte = from.getUint8(start + i);
      bytes[end++] = HEX_DIGITS[byte >> 4] ?? 0;
      bytes[end++] = HEX_DIGITS[byte & 15] ?? 0;
      if (i === 3 || i === 5 || i === 7 || i === 9) bytes[end++] = DASH;
    }
    this.#writer.end = end;
  }

  /**
   * Writes a time in whole milliseconds since 1970. A fraction, which the column cannot hold, is written after a dot,
   * so that it never equals sealed content. Computed in halves, because late years exceed exact doubles.
   */
  #writeTime(start: number): void {
    const writer = this.#writer;
    const high = this.#from.getInt32(start);
    const thousands = Math.floor(high / 1000);
    const low = (high - thousands * 1000) * TWO_32 + this.#from.getUint32(start + 4);
    const ms = Math.floor(low / 1000);
    writer.writeNumber(thousands * TWO_32 + ms + EPOCH_2000_MS);
    if (low === ms * 1000) return;
    writer.bytes[writer.end++] = DOT;
    writer.writeNumber(low - ms * 1000);
  }
}
