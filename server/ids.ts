import { createHash, randomFillSync } from "node:crypto";
import { GUID } from "./text";

/** Random bytes are drawn in bulk: one call to the generator serves some hundred ids. */
const state = { ms: 0, counter: 0, pool: Buffer.alloc(4096), at: 4096 };

function takeBytes(count: number): Buffer {
  if (state.at + count > state.pool.length) {
    randomFillSync(state.pool);
    state.at = 0;
  }
  state.at += count;
  return state.pool.subarray(state.at - count, state.at);
}

/**
 * A UUIDv7 (RFC 9562, method 1: the 12 bits after the version count within one millisecond). Ids of one process
 * ascend strictly, also when the clock steps back, so that inserts touch the right edge of an index.
 */
export function newId(): string {
  const now = Date.now();
  if (now > state.ms) {
    state.ms = now;
    state.counter = 0;
  } else if (++state.counter > 0xfff) {
    state.ms += 1;
    state.counter = 0;
  }
  const time = state.ms.toString(16).padStart(12, "0");
  const random = takeBytes(8);
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
  const tail = random.toString("hex");
  const count = (0x7000 | state.counter).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${count}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/**
 * The id of what these texts name (UUIDv8, RFC 9562): the same however often it is drawn, so that an entry that may have
 * been recorded can be recorded again and there is one.
 */
export function idFrom(...parts: string[]): string {
  const hex = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Names one request in answers and logs. */
export const newRequestId = (): string => newId();

/** True for anything a uuid column takes in its canonical spelling, regardless of its version digit. */
export const isUuid = (text: string): boolean => GUID.test(text);

/** However it is written a UUID is one id (RFC 9562, section 4); other ids are what they are. */
export const canonicalId = (id: string): string => (isUuid(id) ? id.toLowerCase() : id);
