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
import { type ParsedNote, parseNote } from "@/server/audit/chain/note";
import { type Anchor, type Break, type Verdict, Verifier } from "@/server/audit/chain/verifier";
import { PAYLOAD_FIELDS } from "@/server/audit/row";
import { ED25519, parseVerifierKey, toHex, type VerifierKey } from "@/server/audit/tree/signed-note";
import type { Sha256 } from "@/server/audit/tree/tree";

/** What differs between Node and a browser; everything else of the judgement is here. */
export type BundleTools = {
  sha256: (text: string) => string;
  hash: Sha256;
  byteLength: (text: string) => number;
  /** SHA-256 over the bundle's lines as they come, newline included. */
  digest: () => { update: (text: string) => void; hex: () => string };
  verifySignature: (publicKey: Uint8Array, text: string, signature: Uint8Array) => boolean;
};

export type BundleVerdict =
  | { status: "unreadable"; reason: string; line: number }
  | (Omit<Verdict, "status"> & {
      /** intact only where a trusted key signed for the last row; unproven where nothing contradicts but that is missing. */
      status: "intact" | "broken" | "unproven";
      /** Why it is unproven, a sentence each. */
      reasons: string[];
      header: BundleHeader;
      /** Checkpoints with a good signature. */
      checkpoints: number;
      /** The newest row that a checkpoint with a good signature names; of a trusted key where one was given. */
      anchoredThrough: number | null;
      /** Names of the keys that signed. Without a trusted key they are the bundle's own and prove nothing. */
      signedBy: string[];
    });

type Options = {
  /** Verifier keys from elsewhere. Without any, nothing is trusted and the best verdict is unproven. */
  trustedKeys?: readonly string[];
  onProgress?: (rows: number) => void;
};

/** A line that is not of the format; in the first line the file is no bundle, further down it is broken. */
class BadLine extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

const PROGRESS_EVERY_ROWS = 5_000;
/** A JSON string as JSON.stringify writes one; unrolled, so that a long text is read in one go. */
const PLAIN = String.raw`[^"\\\x00-\x1f]*`;
const TEXT = String.raw`"${PLAIN}(?:\\(?:["\\bfnrt]|u[0-9a-f]{4})${PLAIN})*"`;
const NUMBERS = new Set<string>(["chainSeq", "timestampMs"]);
const MEMBERS = [...PAYLOAD_FIELDS, "checksum"].map(
  (name) => `"${name}":${NUMBERS.has(name) ? String.raw`-?\d{1,16}` : `(?:null|${TEXT})`}`,
);
/** A row line as it is written: each member once, in its place, nothing between. What one reads is what is checked. */
const ROW_LINE = new RegExp(`^\\{"type":"row",${MEMBERS.join()}\\}$`);

type SignedAnchor = Anchor & { isTrusted: boolean };

/** What has been read of a bundle so far. */
class BundleReader {
  header: BundleHeader | null = null;
  end: z.output<typeof bundleEnd> | null = null;
  readonly breaks: Break[] = [];
  readonly #anchors: SignedAnchor[] = [];
  readonly #signedBy = new Set<string>();
  readonly #trusted: VerifierKey[];
  #pruned: { throughSeq: number; throughChecksum: string | null } | null = null;
  #rows = 0;
  #judge: Verifier | null = null;

  constructor(
    private readonly tools: BundleTools,
    private readonly options: Options,
  ) {
    this.#trusted = this.#keys(options.trustedKeys ?? []);
  }

  #keys(texts: readonly string[]): VerifierKey[] {
    const keys = texts.map((text) => parseVerifierKey(this.tools.hash, text));
    return keys.filter((key) => key?.type === ED25519) as VerifierKey[];
  }

  parse<T extends z.ZodType>(schema: T, value: unknown, line: number): z.output<T> {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new BadLine([issue?.path.join("."), issue?.message].filter(Boolean).join(": "), line);
  }

  read(text: string, line: number): void {
    let value: { type?: unknown } | null;
    try {
      value = JSON.parse(text) as { type?: unknown } | null;
    } catch {
      throw new BadLine(line === 1 ? "not an evidence bundle: the first line is not JSON" : "not JSON", line);
    }
    if (line === 1) this.header = this.parse(bundleHeader, value, line);
    else if (value?.type === "row") this.#row(value, text, line);
    else if (value?.type === "checkpoint") this.#checkpoint(this.parse(bundleCheckpoint, value, line).note);
    else if (value?.type === "receipt") this.#pruned = this.parse(bundleReceipt, value, line);
    else if (value?.type === "end") this.end = this.parse(bundleEnd, value, line);
    else throw new BadLine("a line of unknown type", line);
  }

  /** Checkpoints and the receipt stand before the rows, so that the judge knows them when the rows come. */
  #verifier(): Verifier {
    this.#judge ??= new Verifier({
      start: this.header?.start ?? { seq: 0, checksum: null },
      pruned: this.#pruned,
      anchors: this.#anchors,
    });
    return this.#judge;
  }

  #row(value: object, text: string, line: number): void {
    if (!ROW_LINE.test(text)) throw new BadLine("a row that is not written as the format says", line);
    // A full schema for a million rows would cost more than hashing them: the first is checked whole, all by type below.
    const row = (this.#rows === 0 ? this.parse(bundleRow, value, line) : value) as z.output<typeof bundleRow>;
    if (!Number.isSafeInteger(row.chainSeq) || typeof row.checksum !== "string" || typeof row.id !== "string")
      throw new BadLine("a row without chainSeq, id or checksum", line);
    const { chainSeq: seq, id, checksum, prevChecksum } = row;
    const recomputed = this.tools.sha256(canonicalPayload(row, this.tools.byteLength));
    this.#verifier().add({ seq, id, checksum, prevChecksum, recomputed });
    if (row.orgId !== this.header?.orgId) {
      const [expected, actual] = [`organization ${this.header?.orgId}`, `organization ${row.orgId}`];
      this.breaks.push({ seq, id, kind: "inserted", expected, actual });
    }
    if (++this.#rows % PROGRESS_EVERY_ROWS === 0) this.options.onProgress?.(this.#rows);
  }

  /** The keys among these that signed a note. @throws BadSignature when a line of one of them does not hold */
  #signersOf(note: ParsedNote, keys: readonly VerifierKey[]): VerifierKey[] | null {
    const signers: VerifierKey[] = [];
    for (const key of keys)
      for (const { name, keyId, signature } of note.signatures) {
        if (name !== key.name || toHex(keyId) !== key.id) continue;
        if (!this.tools.verifySignature(key.publicKey, note.text, signature)) return null;
        signers.push(key);
      }
    return signers;
  }

  #checkpoint(text: string): void {
    const note = parseNote(text);
    const trusted = note && this.#signersOf(note, this.#trusted);
    const own = note && this.#signersOf(note, this.#keys(this.header?.publicKeys ?? []));
    if (!note || !trusted || !own || note.checkpoint.orgId !== this.header?.orgId) {
      const actual = note ? "a checkpoint that does not hold" : "a note that cannot be read";
      const expected = "a checkpoint of this organization, its signature good";
      this.breaks.push({ seq: note?.checkpoint.seq ?? 0, id: "", kind: "altered", expected, actual });
      return;
    }
    if (trusted.length + own.length === 0) return; // signed by strangers alone: proves nothing, contradicts nothing
    for (const { name } of [...trusted, ...own]) this.#signedBy.add(name);
    this.#anchors.push({ ...note.checkpoint, isTrusted: trusted.length > 0 });
  }

  #reasons(verdict: Verdict): string[] {
    const reasons: string[] = [];
    const { lastSeq } = verdict;
    if (this.#trusted.length === 0)
      reasons.push(
        "No verifier key was given: the signatures were checked with the keys that stand in the bundle itself.",
      );
    else if (lastSeq === null)
      reasons.push("The bundle holds no entries, and nothing signed says that there were none.");
    else if (!this.#anchors.some(({ seq, isTrusted }) => isTrusted && seq === lastSeq))
      reasons.push(`No checkpoint that a trusted key signed names the last entry, sequence ${lastSeq}.`);
    if (verdict.prunedPrefix && verdict.firstSeq === verdict.prunedPrefix.throughSeq + 1)
      reasons.push("The receipt for the entries that retention removed is not signed.");
    return reasons;
  }

  /** What the end line says of everything before it. */
  #checkEnd(lastSeq: number, digest: string): void {
    const cut = (expected: string, actual: string) =>
      this.breaks.push({ seq: lastSeq + 1, id: "", kind: "truncated", expected, actual });
    if (!this.end) cut("an end line", "the file ends without one");
    else if (this.end.rows !== this.#rows) cut(`${this.end.rows} rows`, `${this.#rows} rows`);
    else if (this.end.digest !== digest) {
      const [expected, actual] = [`digest ${this.end.digest}`, `digest ${digest}`];
      this.breaks.push({ seq: 0, id: "", kind: "altered", expected, actual });
    }
  }

  verdict(header: BundleHeader, digest: string): BundleVerdict {
    const verdict = this.#verifier().finish("unknown");
    this.#checkEnd(verdict.lastSeq ?? 0, digest);
    const breaks = [...verdict.breaks, ...this.breaks].sort((a, b) => a.seq - b.seq);
    const reasons = breaks.length > 0 ? [] : this.#reasons(verdict);
    const counted = this.#anchors.filter(
      ({ seq, isTrusted }) =>
        (isTrusted || this.#trusted.length === 0) &&
        seq >= (verdict.firstSeq ?? seq + 1) &&
        seq <= (verdict.lastSeq ?? 0),
    );
    return {
      ...verdict,
      status: breaks.length > 0 ? "broken" : reasons.length > 0 ? "unproven" : "intact",
      reasons,
      breaks,
      header,
      checkpoints: this.#anchors.length,
      anchoredThrough: counted.length > 0 ? Math.max(...counted.map(({ seq }) => seq)) : null,
      signedBy: [...this.#signedBy],
    };
  }
}

/**
 * Checks an evidence bundle with no access to the server: every row's contents, the links, the checkpoints' signatures,
 * the receipt of retention, completeness. Once the first line is a good header nothing is unreadable any more: a line
 * that is not of the format contradicts.
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
  try {
    for await (const text of lines) {
      if (text === "" && reader.end) continue;
      line++;
      if (reader.end) throw new BadLine("something stands behind the end line", line);
      reader.read(text, line);
      if (!reader.end) digest.update(`${text}\n`);
    }
    if (line === 0) throw new BadLine("the file is empty", 1);
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    if (!reader.header) return { status: "unreadable", reason: error.message, line: error.line };
    const actual = `line ${error.line}: ${error.message}`;
    reader.breaks.push({ seq: 0, id: "", kind: "altered", expected: "lines of the format", actual });
  }
  if (!reader.header) return { status: "unreadable", reason: "the first line is no header", line: 1 };
  return reader.verdict(reader.header, digest.hex());
}
