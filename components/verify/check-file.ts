import { isNullable, SEALED_FIELDS } from "@/server/audit/row";
import type { Trust } from "@/server/evidence/bundle/trust";
import type { BundleVerdict } from "@/server/evidence/bundle/verdict";
import type { BundleRow } from "@/server/evidence/chain/chain";

/** Processed between two chances for the page to render; takes a few milliseconds. */
const CHUNK_BYTES = 256 * 1024;

const pause = () => new Promise<void>((resume) => setTimeout(resume));

type readChunksOptions = { onBytes: (read: number) => void; signal: AbortSignal };

/**
 * Reads a file in chunks, so that it is never in memory as a whole.
 * @throws DOMException AbortError when the signal fires
 */
async function* readChunks(file: Blob, { onBytes, signal }: readChunksOptions): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += CHUNK_BYTES) {
    yield new Uint8Array(await file.slice(at, at + CHUNK_BYTES).arrayBuffer());
    onBytes(Math.min(file.size, at + CHUNK_BYTES));
    await pause();
    signal.throwIfAborted();
  }
}

const INITIAL_CAPACITY = 4096;
const LINES_PER_READ = 2_000;
const MAX_DATE_MS = 8.64e15;

/** Whether every displayed member has the expected type: a manipulated file may contain anything. */
function isShown(row: BundleRow): boolean {
  const { timestampMs, chainSeq } = row;
  if (!(Number.isFinite(timestampMs) && Math.abs(timestampMs) <= MAX_DATE_MS)) return false;
  if (!Number.isSafeInteger(chainSeq)) return false;
  return SEALED_FIELDS.every((name) => {
    if (name === "timestampMs" || name === "chainSeq") return true;
    const value: unknown = row[name];
    return typeof value === "string" || (value === null && name !== "checksum" && isNullable(name));
  });
}

/**
 * The byte positions of all entries in the file: sixteen bytes per entry, so that a million can be listed without being
 * kept.
 */
export class EntryIndex {
  #places = new Float64Array(2 * INITIAL_CAPACITY);
  #count = 0;

  constructor(private readonly file: Blob) {}

  get count(): number {
    return this.#count;
  }

  /** Adds the next entry's line; the end is exclusive. */
  add(start: number, end: number): void {
    if (2 * this.#count === this.#places.length) {
      const larger = new Float64Array(2 * this.#places.length);
      larger.set(this.#places);
      this.#places = larger;
    }
    this.#places[2 * this.#count] = start;
    this.#places[2 * this.#count + 1] = end;
    this.#count++;
  }

  line(at: number): Promise<string> {
    return this.file.slice(this.#places[2 * at], this.#places[2 * at + 1]).text();
  }

  /** An entry; null if its line is malformed. */
  async entry(at: number): Promise<BundleRow | null> {
    try {
      const row: BundleRow = JSON.parse(await this.line(at));
      return isShown(row) ? row : null;
    } catch {
      return null;
    }
  }

  /**
   * The entries whose line contains all words, in the order of the file.
   * @throws DOMException AbortError when the signal fires
   */
  async search(words: readonly string[], signal: AbortSignal): Promise<number[]> {
    const found: number[] = [];
    for (let from = 0; from < this.#count; from += LINES_PER_READ) {
      const to = Math.min(this.#count, from + LINES_PER_READ);
      const start = this.#places[2 * from] ?? 0;
      const bytes = new Uint8Array(await this.file.slice(start, this.#places[2 * to - 1]).arrayBuffer());
      const utf8 = new TextDecoder();
      for (let at = from; at < to; at++) {
        const [first, last] = [this.#places[2 * at] ?? 0, this.#places[2 * at + 1] ?? 0];
        const text = utf8.decode(bytes.subarray(first - start, last - start)).toLowerCase();
        if (words.every((word) => text.includes(word))) found.push(at);
      }
      signal.throwIfAborted();
    }
    return found;
  }
}

export type Checked = { verdict: BundleVerdict; fileName: string; seconds: number; entries: EntryIndex };
export type Progress = { rows: number; share: number };

type Options = { trust: Trust; signal: AbortSignal; onProgress: (progress: Progress) => void };

/** Preloaded with the page, so that the check itself works offline. */
export const loadTools = () => Promise.all([import("@/server/evidence/bundle/verify"), import("./browser-tools")]);

/** Checks a bundle in the browser: the file is read, hashed and judged here, and never leaves the machine. */
export async function checkFile(file: File, { trust, signal, onProgress }: Options): Promise<Checked> {
  const [{ verifyBundle }, { browserBundleTools }] = await loadTools();
  const started = performance.now();
  const entries = new EntryIndex(file);
  const onBytes = (read: number) => onProgress({ rows: entries.count, share: file.size > 0 ? read / file.size : 1 });
  const verdict = await verifyBundle(readChunks(file, { onBytes, signal }), browserBundleTools, {
    trust,
    onRow: (start, end) => entries.add(start, end),
  });
  return { verdict, fileName: file.name, seconds: (performance.now() - started) / 1000, entries };
}
