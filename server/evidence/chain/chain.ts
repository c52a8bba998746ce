import { type ChainRow, PAYLOAD_FIELDS } from "@/server/audit/row";

/** A sealed row as a line of evidence, members in canonical payload order. */
export type BundleRow = { type: "row" } & Omit<ChainRow, "timestampMs" | "chainSeq"> & {
    timestampMs: number;
    chainSeq: number;
    checksum: string;
  };

/** Version of the canonical payload, its first field. */
export const PAYLOAD_VERSION = "v1";

const FIELDS = PAYLOAD_FIELDS.length;
const PREFIX = new TextEncoder().encode(`${PAYLOAD_VERSION};`);
/** Room for the version and the lengths, which are written last and end where the values start. */
const HEAD_BYTES = 256;
const [COMMA, SEMICOLON, MINUS, ZERO] = [0x2c, 0x3b, 0x2d, 0x30];
/** Payloads up to this size reuse cached views: a new view costs a tenth of a hash. */
const KEPT_END = 4096;
const KEPT_VIEWS = 8192;

/**
 * Writes canonical payloads, version 1 (docs/chain.md): `v1;LENGTHS;VALUES`, lengths in bytes of UTF-8, `-` for NULL.
 * Used for stored rows, bundle lines and proofs. Between begin() and payload(), the caller writes the values in the
 * order of PAYLOAD_FIELDS: bytes from `end` on, or a number, then endField(); or NULL.
 */
export class PayloadWriter {
  bytes = new Uint8Array(8192);
  view = new DataView(this.bytes.buffer);
  /** Offset of the next byte of a value. */
  end = HEAD_BYTES;
  #start = HEAD_BYTES;
  #field = 0;
  readonly #lengths = new Int32Array(FIELDS);
  readonly #views = new Map<number, Uint8Array<ArrayBuffer>>();

  /** @param size upper limit of the values in bytes */
  begin(size: number): void {
    if (this.bytes.length < HEAD_BYTES + size) this.#grow(HEAD_BYTES + size);
    this.end = HEAD_BYTES;
    this.#start = HEAD_BYTES;
    this.#field = 0;
  }

  #grow(size: number): void {
    this.bytes = new Uint8Array(size * 2);
    this.view = new DataView(this.bytes.buffer);
    this.#views.clear();
  }

  endField(): void {
    this.#lengths[this.#field++] = this.end - this.#start;
    this.#start = this.end;
  }

  writeNull(): void {
    this.#lengths[this.#field++] = -1;
  }

  /** Writes an integer between -2^53 and 2^53 in decimal. */
  writeNumber(value: number): void {
    const bytes = this.bytes;
    let start = this.end;
    let rest = value;
    if (rest < 0) {
      bytes[start++] = MINUS;
      rest = -rest;
    }
    let end = start + 1;
    for (let bound = 10; rest >= bound; bound *= 10) end++;
    for (let digit = end - 1; digit >= start; digit--) {
      const tenth = Math.floor(rest / 10);
      bytes[digit] = ZERO + (rest - tenth * 10);
      rest = tenth;
    }
    this.end = end;
  }

  writeText(text: string): void {
    this.end += new TextEncoder().encodeInto(text, this.bytes.subarray(this.end)).written;
  }

  /** Value written for a field; empty for NULL. */
  value(field: number): Uint8Array {
    let start = HEAD_BYTES;
    for (let before = 0; before < field; before++) start += Math.max(0, this.#lengths[before] ?? 0);
    return this.bytes.subarray(start, start + Math.max(0, this.#lengths[field] ?? 0));
  }

  payload(): Uint8Array<ArrayBuffer> {
    const begin = this.#writeLengths();
    const { bytes, end } = this;
    if (end > KEPT_END) return bytes.subarray(begin, end);
    const key = begin * KEPT_END + end;
    let view = this.#views.get(key);
    if (view) return view;
    if (this.#views.size >= KEPT_VIEWS) this.#views.clear();
    view = bytes.subarray(begin, end);
    this.#views.set(key, view);
    return view;
  }

  /** Writes version and lengths from back to front; returns their start. */
  #writeLengths(): number {
    const bytes = this.bytes;
    let at = HEAD_BYTES;
    for (let field = FIELDS - 1; field >= 0; field--) {
      bytes[--at] = field === FIELDS - 1 ? SEMICOLON : COMMA;
      let rest = this.#lengths[field] ?? 0;
      if (rest < 0) {
        bytes[--at] = MINUS;
        continue;
      }
      do {
        bytes[--at] = ZERO + (rest % 10);
        rest = (rest / 10) | 0;
      } while (rest > 0);
    }
    at -= PREFIX.length;
    bytes.set(PREFIX, at);
    return at;
  }
}

const shared = new PayloadWriter();

/**
 * Canonical payload of a row in memory, in UTF-8. The row's checksum is its lowercase hex SHA-256.
 * @param row one row as stored; a lone surrogate is hashed as U+FFFD, like an encoder writes it
 */
export function canonicalPayload(row: ChainRow): Uint8Array<ArrayBuffer> {
  const values = PAYLOAD_FIELDS.map((field) => (row[field] === null ? null : String(row[field])));
  shared.begin(3 * values.reduce((characters, value) => characters + (value?.length ?? 0), 0));
  for (const value of values) {
    if (value === null) shared.writeNull();
    else {
      shared.writeText(value);
      shared.endField();
    }
  }
  return shared.payload().slice();
}
