import { hash } from "node:crypto";
import { COLUMNS, type Field, SEALED_FIELDS } from "@/server/audit/row";
import { PAYLOAD_VERSION } from "./chain";
import type { CopyRow } from "./copy-binary";
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

const PREFIX = Buffer.from(`${PAYLOAD_VERSION};`, "latin1");
const [COMMA, SEMICOLON, DASH, DOT, ZERO] = [0x2c, 0x3b, 0x2d, 0x2e, 0x30];
const HEX_DIGITS = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
const UUID_LENGTH = 36;
const TWO_32 = 2 ** 32;
const EPOCH_2000_MS = Date.UTC(2000, 0, 1);
/** What the version and the lengths need at most. */
const LENGTHS_ROOM = 256;
/** Payloads that end up to here are hashed through views that are kept, so many: to make one costs a tenth of a hash. */
const KEPT_END = 4096;
const KEPT_VIEWS = 8192;

/** Writes a whole number of at most 2^53 in decimal at an offset; returns where it ends. */
function writeNumber(into: Uint8Array, value: number, at: number): number {
  let start = at;
  let rest = value;
  if (rest < 0) {
    into[start++] = DASH;
    rest = -rest;
  }
  let end = start + 1;
  for (let bound = 10; rest >= bound; bound *= 10) end++;
  for (let digit = end - 1; digit >= start; digit--) {
    const tenth = Math.floor(rest / 10);
    into[digit] = ZERO + (rest - tenth * 10);
    rest = tenth;
  }
  return end;
}

/** Decides one row at a time: what its contents hash to, and whether that is what is beside them. */
export class RawRow {
  #scratch = new Uint8Array(8192);
  #into = new DataView(this.#scratch.buffer);
  #views = new Map<number, Uint8Array>();
  #row: CopyRow = { data: Buffer.alloc(0), starts: new Int32Array(0), lengths: new Int32Array(0), size: 0 };
  #buffer: ArrayBufferLike = new ArrayBuffer(0);
  #from = new DataView(this.#buffer);
  readonly #lengths = new Int32Array(CHECKSUM);
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

  /** The canonical payload in the scratch: the values behind room for the lengths, then the lengths before them. */
  #payload(): Uint8Array {
    const room = this.#row.size * 3 + LENGTHS_ROOM;
    if (this.#scratch.length < room) this.#grow(room);
    let end = LENGTHS_ROOM;
    for (let field = 0; field < CHECKSUM; field++) {
      const start = end;
      const length = this.#length(field);
      if (length >= 0) end = this.#write(field, start);
      this.#lengths[field] = length < 0 ? -1 : end - start;
    }
    const begin = this.#writeLengths();
    return this.#view(begin, end);
  }

  #grow(room: number): void {
    this.#scratch = new Uint8Array(room * 2);
    this.#into = new DataView(this.#scratch.buffer);
    this.#views.clear();
  }

  #view(begin: number, end: number): Uint8Array {
    if (end > KEPT_END) return this.#scratch.subarray(begin, end);
    const key = begin * KEPT_END + end;
    let view = this.#views.get(key);
    if (view) return view;
    if (this.#views.size >= KEPT_VIEWS) this.#views.clear();
    view = this.#scratch.subarray(begin, end);
    this.#views.set(key, view);
    return view;
  }

  #write(field: number, at: number): number {
    const kind = KINDS[field];
    if (kind === UUID) return this.#writeUuid(this.#start(field), at);
    if (kind === NUMBER) return writeNumber(this.#scratch, this.seq, at);
    if (kind === TIME) return this.#writeTime(this.#start(field), at);
    return this.#copy(this.#start(field), at, this.#length(field));
  }

  /** Whole words first: a loop over bytes takes three times as long, a call into Node's own copy four times. */
  #copy(start: number, at: number, length: number): number {
    const [into, from] = [this.#into, this.#from];
    let i = 0;
    for (; i + 4 <= length; i += 4) into.setUint32(at + i, from.getUint32(start + i, true), true);
    for (; i < length; i++) into.setUint8(at + i, from.getUint8(start + i));
    return at + length;
  }

  #writeUuid(start: number, at: number): number {
    const [scratch, from] = [this.#scratch, this.#from];
    let end = at;
    for (let i = 0; i < 16; i++) {
      const byte = from.getUint8(start + i);
      scratch[end++] = HEX_DIGITS[byte >> 4] ?? 0;
      scratch[end++] = HEX_DIGITS[byte & 15] ?? 0;
      if (i === 3 || i === 5 || i === 7 || i === 9) scratch[end++] = DASH;
    }
    return at + UUID_LENGTH;
  }

  /**
   * A time in whole milliseconds since 1970. A part of one, which no column of this table holds, is written behind a dot,
   * so that it is not content that was ever sealed. Microseconds of late years are beyond what a double counts: in halves.
   */
  #writeTime(start: number, at: number): number {
    const high = this.#from.getInt32(start);
    const thousands = Math.floor(high / 1000);
    const low = (high - thousands * 1000) * TWO_32 + this.#from.getUint32(start + 4);
    const ms = Math.floor(low / 1000);
    const end = writeNumber(this.#scratch, thousands * TWO_32 + ms + EPOCH_2000_MS, at);
    if (low === ms * 1000) return end;
    this.#scratch[end] = DOT;
    return writeNumber(this.#scratch, low - ms * 1000, end + 1);
  }

  /** Writes the version and the lengths so that they end where the values begin; returns where they begin. */
  #writeLengths(): number {
    const scratch = this.#scratch;
    let at = LENGTHS_ROOM;
    for (let field = CHECKSUM - 1; field >= 0; field--) {
      scratch[--at] = field === CHECKSUM - 1 ? SEMICOLON : COMMA;
      let rest = this.#lengths[field] ?? 0;
      if (rest < 0) {
        scratch[--at] = DASH;
        continue;
      }
      do {
        scratch[--at] = ZERO + (rest % 10);
        rest = (rest / 10) | 0;
      } while (rest > 0);
    }
    at -= PREFIX.length;
    scratch.set(PREFIX, at);
    return at;
  }
}
