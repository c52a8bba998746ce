import type { NoteTools } from "@/server/evidence/tree/signed-note";
import { BadLine, isHeader, whyNoHeader } from "./format";
import { BundleJudge, type StampCheck } from "./judge";
import type { KeptNote } from "./trust";
import { NO_TRUST, type Trust } from "./trust";
import type { BundleVerdict, JudgedBundle } from "./verdict";

/** Functions that differ between Node and a browser; both share the rest of the judgment. */
export type BundleTools = NoteTools & {
  /** Incremental SHA-256. */
  digest: () => { update: (bytes: Uint8Array) => void; bytes: () => Uint8Array };
};

type Options = {
  /** Trusted keys; without them the best verdict is unproven. */
  trust?: Trust;
  /** A checkpoint kept by the caller, which the bundle must continue. */
  since?: KeptNote | null;
  /** Checks the time-stamp; if omitted, a time-stamp is only mentioned. */
  stamp?: StampCheck | undefined;
  /** Called for each row line, good or bad, with its byte offsets in the file. */
  onRow?: (start: number, end: number) => void;
};

const NEWLINE = 0x0a;
/** Far above any real line, so that a file without newlines cannot fill the memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Enough of a first line to recognize format and version. */
const HEADER_START_BYTES = 128;

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));
const ROW_START = ascii('{"type":"row"');
const END_START = ascii('{"type":"end"');

function startsWith(bytes: Uint8Array, at: number, start: Uint8Array): boolean {
  for (let i = 0; i < start.length; i++) if (bytes[at + i] !== start[i]) return false;
  return true;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Feeds an evidence file to a judge, chunk by chunk. */
class BundleReading {
  readonly #digest: ReturnType<BundleTools["digest"]>;
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #judge: BundleJudge | null = null;
  /** Incomplete line, its offset in the file, and its line number. */
  #rest: Uint8Array = new Uint8Array();
  #at = 0;
  #line = 0;

  constructor(
    private readonly tools: BundleTools,
    private readonly options: Options,
  ) {
    this.#digest = tools.digest();
  }

  /** Reads the next bytes of the file. @throws BadLine */
  push(chunk: Uint8Array): void {
    const bytes = joined(this.#rest, chunk);
    let start = 0;
    let hashed = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      if (startsWith(bytes, start, END_START)) {
        this.#digest.update(bytes.subarray(hashed, start));
        hashed = end + 1;
      }
      this.#read(bytes, start, end);
      start = end + 1;
    }
    this.#digest.update(bytes.subarray(Math.min(hashed, start), start));
    this.#rest = bytes.slice(start);
    this.#at += start;
    if (this.#rest.length > MAX_LINE_BYTES) throw new BadLine("it is too long");
    if (this.#rest.length > 0 && this.#judge?.hasEnded) throw new BadLine("something stands behind the end line");
  }

  #text(bytes: Uint8Array): string {
    try {
      return this.#utf8.decode(bytes);
    } catch {
      throw new BadLine("it is not UTF-8");
    }
  }

  #read(bytes: Uint8Array, start: number, end: number): void {
    this.#line++;
    const judge = this.#judge;
    if (judge?.hasEnded) throw new BadLine("something stands behind the end line");
    const line = bytes.subarray(start, end);
    if (judge && startsWith(bytes, start, ROW_START)) {
      this.options.onRow?.(this.#at + start, this.#at + end);
      judge.row(line);
    } else if (judge) judge.line(this.#text(line));
    else this.#open(line);
  }

  #open(line: Uint8Array): void {
    // Bytes that are not UTF-8 may still be recognized as no header, but break a file that has one.
    const start = new TextDecoder("latin1").decode(line.subarray(0, HEADER_START_BYTES));
    if (!isHeader(start)) throw new BadLine(whyNoHeader(start));
    const { trust = NO_TRUST, since = null, stamp } = this.options;
    this.#judge = new BundleJudge(this.tools, { trust, since, stamp });
    this.#judge.line(this.#text(line));
  }

  /** Ends the file. @throws BadLine */
  #close(): void {
    if (this.#rest.length === 0) return;
    if (!this.#judge) this.#read(this.#rest, 0, this.#rest.length);
    throw new BadLine("it does not end with a newline");
  }

  /** @param failed the fault that stopped the reading */
  finish(failed: BadLine | null): BundleVerdict {
    let fault = failed;
    try {
      if (!fault) this.#close();
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      fault = error;
    }
    const line = Math.max(1, this.#line);
    if (!this.#judge) return { status: "unreadable", reason: fault?.message ?? "the file is empty", line };
    if (fault) this.#judge.fail(line, fault.message);
    return this.#judge.finish(fault ? null : this.#digest.bytes());
  }
}

/**
 * Checks an evidence bundle without access to the server. After a known header nothing is "unreadable": a malformed
 * line is a contradiction.
 * @param chunks the file's bytes, each used once
 */
export async function verifyBundle(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  tools: BundleTools,
  options: Options = {},
): Promise<BundleVerdict> {
  const reading = new BundleReading(tools, options);
  try {
    for await (const chunk of chunks) reading.push(chunk);
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    return reading.finish(error);
  }
  return reading.finish(null);
}

export type { JudgedBundle };
