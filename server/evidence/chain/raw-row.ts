import { hash } from "node:crypto";
import type { CopyRow } from "@/db/copy/copy-binary";
import { COLUMNS, type Field, SEALED_FIELDS } from "@/server/audit/row";
import { PayloadWriter } from "./chain";
import type { Link } from "./verifier";

/**
 * A sealed row as the database sends it fastest: UUIDs, times and numbers in binary, which are written as the text that
 * is hashed here, at a third less of the database's work than there. Nothing of a row becomes a string but its checksum.
 */

/** How a field comes: as its text, 16 bytes, a number, or microseconds since 2000; details as the text of the jsonb. */
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
/** The columns of a COPY in binary from which RawRow reads. */
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
/** As text, a binary field has at most so many times its bytes: a UUID 36 for 16, a number or a time up to 22 for 8. */
const MAX_GROWTH = 3;

/** Decides one row at a time: what its contents hash to, and whether that is what is beside them. */
export class RawRow {
  readonly #writer = new PayloadWriter();
  #row: CopyRow = { data: Buffer.alloc(0), starts: new Int32Array(0), lengths: new Int32Array(0), size: 0 };
  #buffer: ArrayBufferLike = new ArrayBuffer(0);
  #from = new DataView(this.#buffer);
  seq = 0;
  /** The checksum that the contents ask for. */
  recomputed = "";
  /** Whether it is the one that is in the row. */
  isUnaltered = false;

  /** Takes the next row of a COPY of RAW_COLUMNS. */
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

  /** Whether the row names this checksum as that of the row before it. */
  links(checksum: string): boolean {
    return this.#is(PREV_CHECKSUM, checksum);
  }

  get checksum(): string {
    return this.isUnaltered ? this.recomputed : (this.#text(CHECKSUM) ?? "");
  }

  /** The row as the judge takes it; `before` is what its link probably is, which spares making it again. */
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

  /** Whole words first: a loop over bytes takes three times as long, a call into Node's own copy four times. */
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
   * A time in whole milliseconds since 1970. A part of one, which no column of this table holds, is written behind a dot,
   * so that it is not content that was ever sealed. Microseconds of late years are beyond what a double counts: in halves.
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
