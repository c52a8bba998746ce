import { isNullable, PAYLOAD_FIELDS } from "@/server/audit/row";
import { PayloadWriter } from "@/server/evidence/chain/chain";

/**
 * Reads row lines as bytes in their only valid form: members in order, no white space, numbers and escapes as
 * JSON.stringify writes them. The canonical payload is built during the read, so that exactly the bytes read are
 * hashed.
 */

const FIELDS = PAYLOAD_FIELDS.length;
const MAX_DIGITS = 15;
const [QUOTE, BACKSLASH, MINUS, ZERO] = [0x22, 0x5c, 0x2d, 0x30];
const [LETTER_N, LETTER_U, SPACE] = [0x6e, 0x75, 0x20];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));
const CHECKSUMS = new Set<string>(["prevChecksum"]);
const NUMBERS = new Set<string>(["chainSeq", "timestampMs"]);

/** Text before each value, including its quote if the value is always a string. */
const BEFORE = PAYLOAD_FIELDS.map((name, i) =>
  latin1(
    `${i === 0 ? '{"type":"row"' : ""},"${name}":${NUMBERS.has(name) || isNullable(name) ? "" : '"'}`.replace(
      /^,(?=\{)/,
      "",
    ),
  ),
);
const BEFORE_CHECKSUM = latin1(',"checksum":"');
const AFTER_CHECKSUM = latin1('"}');
const NULL = latin1("null");
const HEX_DIGITS = 64;

const KIND = PAYLOAD_FIELDS.map((name) =>
  CHECKSUMS.has(name) ? "checksum" : NUMBERS.has(name) ? "number" : isNullable(name) ? "text or null" : "text",
);
const SEQ = PAYLOAD_FIELDS.indexOf("chainSeq");
const TIME = PAYLOAD_FIELDS.indexOf("timestampMs");
const ID = PAYLOAD_FIELDS.indexOf("id");
const ORG = PAYLOAD_FIELDS.indexOf("orgId");

/** Escapes after a backslash; JSON.stringify writes no others. */
const ESCAPES = new Map(
  Object.entries({ '"': 0x22, "\\": 0x5c, b: 0x08, f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09 }).map(([letter, byte]) => [
    letter.charCodeAt(0),
    byte,
  ]),
);
const SHORT_FORMS = new Set(ESCAPES.values());

/** Value of a lowercase hexadecimal digit, or -1. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  return byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
}

export class RowReader {
  /** Sequence, time and checksums (bytes) of the last row read. */
  seq = 0;
  timestampMs = 0;
  readonly checksum = new Uint8Array(32);
  readonly prevChecksum = new Uint8Array(32);
  hasPrevious = false;
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #writer = new PayloadWriter();
  #line: Uint8Array = new Uint8Array();
  #at = 0;
  #seen = 0;

  /** True if the bytes are a row line, brace to brace; its values are then in this object. */
  read(line: Uint8Array): boolean {
    this.#writer.begin(line.length);
    this.#line = line;
    this.#at = 0;
    this.#seen = 0;
    for (let field = 0; field < FIELDS; field++) if (!this.#field(field)) return false;
    if (!this.#fixed(BEFORE_CHECKSUM) || !this.#hex(this.checksum, false) || !this.#fixed(AFTER_CHECKSUM)) return false;
    return this.#at === line.length && (this.#seen < 0x80 || this.#isUtf8()) && UUID.test(this.id);
  }

  /** Canonical payload of the last row; valid until the next read. */
  payload(): Uint8Array {
    return this.#writer.payload();
  }

  get id(): string {
    return this.#utf8.decode(this.#writer.value(ID));
  }

  get orgId(): string {
    return this.#utf8.decode(this.#writer.value(ORG));
  }

  #isUtf8(): boolean {
    try {
      this.#utf8.decode(this.#line);
      return true;
    } catch {
      return false;
    }
  }

  #fixed(bytes: Uint8Array): boolean {
    const line = this.#line;
    let at = this.#at;
    for (let i = 0; i < bytes.length; i++) if (line[at++] !== bytes[i]) return false;
    this.#at = at;
    return true;
  }

  #field(field: number): boolean {
    const before = BEFORE[field];
    if (!before || !this.#fixed(before)) return false;
    const kind = KIND[field];
    const isNull = kind !== "text" && kind !== "number" && this.#line[this.#at] === LETTER_N;
    if (field === 0) this.hasPrevious = !isNull;
    if (isNull) {
      this.#writer.writeNull();
      return this.#fixed(NULL);
    }
    if (!this.#value(field, kind)) return false;
    this.#writer.endField();
    return true;
  }

  #value(field: number, kind: string | undefined): boolean {
    if (kind === "number") return this.#number(field);
    // BEFORE has the quote of a text that is never null.
    if (kind !== "text" && this.#line[this.#at++] !== QUOTE) return false;
    return kind === "checksum"
      ? this.#hex(this.prevChecksum, true) && this.#line[this.#at++] === QUOTE
      : this.#string();
  }

  #number(field: number): boolean {
    const line = this.#line;
    const isNegative = line[this.#at] === MINUS;
    if (isNegative) this.#at++;
    const start = this.#at;
    let value = 0;
    for (;;) {
      const digit = (line[this.#at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      this.#at++;
    }
    const digits = this.#at - start;
    // JSON.stringify writes no leading zero and no negative zero.
    if (digits === 0 || digits > MAX_DIGITS || (line[start] === ZERO && (digits > 1 || isNegative))) return false;
    if (isNegative) value = -value;
    this.#writer.writeNumber(value);
    if (field === SEQ) this.seq = value;
    if (field === TIME) this.timestampMs = value;
    return field !== SEQ || this.seq > 0;
  }

  /** Reads 64 lowercase digits into 32 bytes, and into the payload if hashed. */
  #hex(into: Uint8Array, isHashed: boolean): boolean {
    const line = this.#line;
    for (let i = 0; i < HEX_DIGITS; i += 2) {
      const [high, low] = [hexDigit(line[this.#at + i] ?? 0), hexDigit(line[this.#at + i + 1] ?? 0)];
      if (high < 0 || low < 0) return false;
      into[i / 2] = high * 16 + low;
    }
    if (isHashed) {
      this.#writer.bytes.set(line.subarray(this.#at, this.#at + HEX_DIGITS), this.#writer.end);
      this.#writer.end += HEX_DIGITS;
    }
    this.#at += HEX_DIGITS;
    return true;
  }

  /** Reads a text up to its closing quote. */
  #string(): boolean {
    const line = this.#line;
    const { bytes: out } = this.#writer;
    let { end } = this.#writer;
    let [at, seen] = [this.#at, this.#seen];
    for (;;) {
      const byte = line[at++];
      if (byte === undefined || byte < SPACE) return false;
      if (byte === QUOTE) break;
      seen |= byte;
      if (byte !== BACKSLASH) {
        out[end++] = byte;
        continue;
      }
      const escaped = line[at++];
      const control = escaped === LETTER_U ? this.#control(at) : ESCAPES.get(escaped ?? 0);
      if (control === undefined) return false;
      if (escaped === LETTER_U) at += 4;
      out[end++] = control;
    }
    this.#at = at;
    this.#writer.end = end;
    this.#seen = seen;
    return true;
  }

  /** Control character of a \u escape: 00 and two digits, and no short form exists. */
  #control(at: number): number | undefined {
    const line = this.#line;
    if (line[at] !== ZERO || line[at + 1] !== ZERO) return undefined;
    const [high, low] = [hexDigit(line[at + 2] ?? 0), hexDigit(line[at + 3] ?? 0)];
    const byte = high * 16 + low;
    return high < 0 || low < 0 || byte >= SPACE || SHORT_FORMS.has(byte) ? undefined : byte;
  }
}
