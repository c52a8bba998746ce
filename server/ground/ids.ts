import { createHmac, randomFillSync } from "node:crypto";
import { derivedKey } from "./derived-key";
import { GUID } from "./text";

const TAIL_BYTES = 8;
const TAIL_DIGITS = 2 * TAIL_BYTES;

/** Random digits are drawn in bulk: one call serves some hundred ids. */
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
 * A UUIDv7 (RFC 9562, method 1: the 12 bits after the version count within one millisecond). Ids of one process are
 * strictly ascending, even if the clock steps back, so that inserts go to the right edge of an index.
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
 * Deterministic id of some texts (UUIDv8, RFC 9562), so that an entry recorded again is stored once. Keyed, so that
 * outsiders cannot claim it first.
 */
export function idFrom(...parts: string[]): string {
  const hex = createHmac("sha256", derivedKey("record-ids")).update(JSON.stringify(parts)).digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Id of one request in answers and logs. */
export const newRequestId = (): string => newId();

/** True for any canonical uuid, regardless of version. */
export const isUuid = (text: string): boolean => GUID.test(text);

/** Canonical form of an id: UUIDs in lowercase (RFC 9562, section 4), others unchanged. */
export const canonicalId = (id: string): string => (isUuid(id) ? id.toLowerCase() : id);
