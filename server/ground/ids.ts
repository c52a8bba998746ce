import { createHmac, randomFillSync } from "node:crypto";
import { derivedKey } from "./derived-key";
import { GUID } from "./text";

const TAIL_BYTES = 8;
const TAIL_DIGITS = 2 * TAIL_BYTES;

/** Random digits are drawn in bulk: one call to the generator serves some hundred ids. */
const state = { ms: 0, counter: 0, head: "00000000-0000", pool: Buffer.alloc(512 * TAIL_BYTES), tails: "", at: 0 };

function drawTails(): void {
  const { pool } = state;
  randomFillSync(pool);
  for (let at = 0; at < pool.length; at += TAIL_BYTES) pool[at] = ((pool[at] ?? 0) & 0x3f) | 0x80;
  state.tails = pool.toString("hex");
  state.at = 0;
}

function setTime(ms: number): void {
  const digits = ms.toString(16).padStart(12, "0");
  state.ms = ms;
  state.counter = 0;
  state.head = `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/**
 * A UUIDv7 (RFC 9562, method 1: the 12 bits after the version count within one millisecond). Ids of one process
 * ascend strictly, also when the clock steps back, so that inserts touch the right edge of an index.
 */
export function newId(): string {
  const now = Date.now();
  if (now > state.ms) setTime(now);
  else if (++state.counter > 0xfff) setTime(state.ms + 1);
  if (state.at === state.tails.length) drawTails();
  const { head, tails, at } = state;
  state.at += TAIL_DIGITS;
  const count = (0x7000 | state.counter).toString(16);
  return `${head}-${count}-${tails.slice(at, at + 4)}-${tails.slice(at + 4, at + TAIL_DIGITS)}`;
}

/**
 * The id of what these texts name (UUIDv8, RFC 9562): the same however often it is drawn, so that an entry that may have
 * been recorded can be recorded again and there is one. Keyed: nobody outside can draw it first and take it.
 */
export function idFrom(...parts: string[]): string {
  const hex = createHmac("sha256", derivedKey("record-ids")).update(JSON.stringify(parts)).digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Names one request in answers and logs. */
export const newRequestId = (): string => newId();

/** True for anything a uuid column takes in its canonical spelling, regardless of its version digit. */
export const isUuid = (text: string): boolean => GUID.test(text);

/** However it is written a UUID is one id (RFC 9562, section 4); other ids are what they are. */
export const canonicalId = (id: string): string => (isUuid(id) ? id.toLowerCase() : id);
