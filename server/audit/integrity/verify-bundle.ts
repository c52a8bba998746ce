import type { z } from "zod";
import {
  type BundleHeader,
  bundleCheckpoint,
  bundleEnd,
  bundleHeader,
  bundleReceipt,
  bundleRow,
} from "@/server/audit/chain/bundle";
import { canonicalPayload } from "@/server/audit/chain/chain";
import { parseNote, parseVkey, signatureBy } from "@/server/audit/chain/note";
import { type Anchor, type Break, type Verdict, Verifier } from "@/server/audit/chain/verifier";
import type { ChainRow } from "@/server/audit/row";

/** What differs between Node and a browser; everything else of the judgement is here. */
export type BundleTools = {
  sha256: (text: string) => string;
  byteLength: (text: string) => number;
  /** SHA-256 over the bundle's lines as they come, newline included. */
  digest: () => { update: (text: string) => void; hex: () => string };
  verifySignature: (publicKey: Uint8Array, text: string, signature: Uint8Array) => boolean;
};

export type BundleVerdict =
  | { status: "unreadable"; reason: string; line: number }
  | (Verdict & {
      header: BundleHeader;
      /** Checkpoints with a good signature, and the newest sequence that one of them covers. */
      checkpoints: number;
      anchoredThrough: number | null;
      /** The keys that signed; trust them only when they are the ones that the installation publishes. */
      signedBy: string[];
    });

type Options = {
  /** Verifier keys from elsewhere: with them, a bundle signed by nobody of these is broken. */
  trustedKeys?: readonly string[];
  onProgress?: (rows: number) => void;
};

class Unreadable extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

const PROGRESS_EVERY_ROWS = 5_000;

/** What has been read of a bundle so far. */
class BundleReader {
  header: BundleHeader | null = null;
  end: z.output<typeof bundleEnd> | null = null;
  readonly breaks: Break[] = [];
  readonly anchors: Anchor[] = [];
  readonly signedBy = new Set<string>();
  pruned: { throughSeq: number; throughChecksum: string | null } | null = null;
  rows = 0;
  verifier: Verifier | null = null;

  constructor(
    private readonly tools: BundleTools,
    private readonly options: Options,
  ) {}

  parse<T extends z.ZodType>(schema: T, value: unknown, line: number): z.output<T> {
    const parsed = schema.safeParse(value);
    if (!parsed.success)
      throw new Unreadable(
        `${parsed.error.issues[0]?.path.join(".") ?? ""}: ${parsed.error.issues[0]?.message ?? "wrong"}`,
        line,
      );
    return parsed.data;
  }

  take(value: { type?: unknown }, line: number): void {
    if (line === 1) this.header = this.parse(bundleHeader, value, line);
    else if (value.type === "row") this.#row(value, line);
    else if (value.type === "checkpoint") this.#checkpoint(this.parse(bundleCheckpoint, value, line).note);
    else if (value.type === "receipt") this.pruned = this.parse(bundleReceipt, value, line);
    else if (value.type === "end") this.end = this.parse(bundleEnd, value, line);
    else throw new Unreadable("a line of unknown type", line);
  }

  /** Checkpoints and the receipt stand before the rows, so that the judge knows them when the rows come. */
  #judge(): Verifier {
    this.verifier ??= new Verifier({
      start: this.header?.start ?? { seq: 0, checksum: null },
      pruned: this.pruned,
      anchors: this.anchors,
    });
    return this.verifier;
  }

  #row(value: unknown, line: number): void {
    // A full schema for a million rows would cost more than hashing them: the first is checked whole, all by type below.
    const row = (this.rows === 0 ? this.parse(bundleRow, value, line) : value) as z.output<typeof bundleRow>;
    if (!Number.isSafeInteger(row.chainSeq) || typeof row.checksum !== "string" || typeof row.id !== "string")
      throw new Unreadable("a row without chainSeq, id or checksum", line);
    const recomputed = this.tools.sha256(canonicalPayload(row as unknown as ChainRow, this.tools.byteLength));
    this.#judge().add({
      seq: row.chainSeq,
      id: row.id,
      checksum: row.checksum,
      prevChecksum: row.prevChecksum,
      recomputed,
    });
    if (row.orgId !== this.header?.orgId)
      this.breaks.push({
        seq: row.chainSeq,
        id: row.id,
        kind: "inserted",
        expected: `organization ${this.header?.orgId}`,
        actual: `organization ${row.orgId}`,
      });
    if (++this.rows % PROGRESS_EVERY_ROWS === 0) this.options.onProgress?.(this.rows);
  }

  #checkpoint(noteText: string): void {
    const note = parseNote(noteText);
    const keys = (this.options.trustedKeys ?? this.header?.publicKeys ?? [])
      .map(parseVkey)
      .filter((key) => key !== null);
    const signer =
      note &&
      keys.find((key) => {
        const signature = signatureBy(note, key);
        return signature !== null && this.tools.verifySignature(key.publicKey, note.text, signature);
      });
    if (!note || !signer || note.checkpoint.orgId !== this.header?.orgId) {
      this.breaks.push({
        seq: note?.checkpoint.seq ?? 0,
        id: "",
        kind: "altered",
        expected: "a checkpoint signed by a known key",
        actual: "a checkpoint whose signature does not hold",
      });
      return;
    }
    this.signedBy.add(signer.name);
    this.anchors.push(note.checkpoint);
  }

  verdict(digest: string): BundleVerdict {
    if (!this.header) throw new Unreadable("the file is empty", 1);
    const verdict = this.#judge().finish("unknown");
    const breaks = [...verdict.breaks, ...this.breaks];
    const cut = (expected: string, actual: string) =>
      breaks.push({ seq: (verdict.lastSeq ?? 0) + 1, id: "", kind: "truncated", expected, actual });
    if (!this.end) cut("an end line", "the file ends without one");
    else if (this.end.rows !== this.rows) cut(`${this.end.rows} rows`, `${this.rows} rows`);
    else if (this.end.digest !== digest)
      breaks.push({
        seq: 0,
        id: "",
        kind: "altered",
        expected: `digest ${this.end.digest}`,
        actual: `digest ${digest}`,
      });
    breaks.sort((a, b) => a.seq - b.seq);
    return {
      ...verdict,
      status: breaks.length > 0 ? "broken" : verdict.status,
      breaks,
      header: this.header,
      checkpoints: this.anchors.length,
      anchoredThrough: this.anchors.length > 0 ? Math.max(...this.anchors.map((a) => a.seq)) : null,
      signedBy: [...this.signedBy],
    };
  }
}

/**
 * Checks an evidence bundle with no access to the server: every row's contents, the links, the checkpoints' signatures,
 * the receipt of retention, completeness.
 * @param lines the bundle's lines without their newlines
 */
export async function verifyBundle(
  lines: AsyncIterable<string> | Iterable<string>,
  tools: BundleTools,
  options: Options = {},
): Promise<BundleVerdict> {
  const reader = new BundleReader(tools, options);
  const digest = tools.digest();
  let line = 0;
  let torn = false;
  try {
    for await (const text of lines) {
      if (text === "" && reader.end) continue;
      line++;
      if (torn) throw new Unreadable("not JSON", line - 1);
      if (reader.end) throw new Unreadable("something stands behind the end line", line);
      let value: { type?: unknown };
      try {
        value = JSON.parse(text) as { type?: unknown };
      } catch {
        if (line === 1) throw new Unreadable("not an evidence bundle: the first line is not JSON", line);
        torn = true; // the last line of a file that was cut is no reason to be silent about the rest
        continue;
      }
      reader.take(value, line);
      if (value.type !== "end") digest.update(`${text}\n`);
    }
    return reader.verdict(digest.hex());
  } catch (error) {
    if (error instanceof Unreadable) return { status: "unreadable", reason: error.message, line: error.line };
    throw error;
  }
}
