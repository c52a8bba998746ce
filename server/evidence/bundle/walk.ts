import { type Break, breakOf, MAX_BREAKS } from "@/server/evidence/chain/verifier";
import { fromBase64, toBase64, toHex } from "@/server/evidence/tree/signed-note";
import type { PruneReceipt, TreeCheckpoint } from "@/server/evidence/tree/statement";
import { decompose, equalBytes, leafHash, type Sha256, TreeFold } from "@/server/evidence/tree/tree";
import { BadLine, type BundleRange } from "./format";
import type { RowReader } from "./row-line";

type Input = { orgId: string; range: BundleRange; checkpoint: TreeCheckpoint; receipt: PruneReceipt | null };
export type Walked = {
  rows: number;
  /** Entries that skips stand for. */
  skipped: number;
  firstSeq: number | null;
  lastSeq: number | null;
  firstMs: number | null;
  lastMs: number | null;
  /** Entries missing at the start of the range, which only a receipt can explain. */
  gone: { first: number; last: number } | null;
  breaks: Break[];
};

/**
 * Walks all leaves of the tree, rows and skips in order. Rows are checked against their checksums, neighbors and range;
 * at the end all hashes together must give the checkpoint's root. Memory: one hash per level.
 */
export class Walk {
  readonly #fold: TreeFold;
  readonly #breaks: Break[] = [];
  readonly #found: Omit<Walked, "breaks" | "gone"> = {
    rows: 0,
    skipped: 0,
    firstSeq: null,
    lastSeq: null,
    firstMs: null,
    lastMs: null,
  };
  readonly #before = new Uint8Array(32);
  readonly #span: { from: number; to: number };
  /** Last sequence walked, and whether the previous line was a row (#before is then its checksum). */
  #at = 0;
  #isBehindRow = false;
  /** End of the skip before the first row. */
  #skippedFirst = 0;
  #isTorn = false;

  constructor(
    private readonly sha256: Sha256,
    private readonly input: Input,
  ) {
    this.#fold = new TreeFold(sha256);
    const { range } = input;
    const isTime = range.kind === "time";
    this.#span = {
      from: isTime && range.from !== null ? Date.parse(range.from) : Number.NEGATIVE_INFINITY,
      to: isTime && range.to !== null ? Date.parse(range.to) : Number.POSITIVE_INFINITY,
    };
  }

  #report(found: Break): void {
    if (this.#breaks.length < MAX_BREAKS) this.#breaks.push(found);
  }

  #missing(seq: number, actual: string): void {
    this.#report(breakOf({ seq, kind: "missing", expected: `sequence ${seq}`, actual }));
  }

  row(row: RowReader): void {
    const { seq, checksum } = row;
    const recomputed = this.sha256(row.payload());
    if (!equal32(recomputed, checksum))
      this.#report({ seq, id: row.id, kind: "altered", expected: toHex(checksum), actual: toHex(recomputed) });
    this.#checkPlace(row);
    this.#fold.push(0, leafHash(this.sha256, checksum));
    this.#before.set(checksum);
    this.#isBehindRow = true;
    this.#at = Math.max(this.#at, seq);
    this.#note(row);
  }

  #note({ seq, timestampMs }: RowReader): void {
    const found = this.#found;
    found.rows++;
    found.firstSeq ??= seq;
    found.lastSeq = seq;
    if (found.firstMs === null || timestampMs < found.firstMs) found.firstMs = timestampMs;
    if (found.lastMs === null || timestampMs > found.lastMs) found.lastMs = timestampMs;
  }

  #checkPlace(row: RowReader): void {
    const { seq, timestampMs } = row;
    const { orgId, checkpoint, range } = this.input;
    const inserted = (expected: string, actual: string) =>
      this.#report({ seq, id: row.id, kind: "inserted", expected, actual });
    if (row.orgId !== orgId) inserted(`organization ${orgId}`, `organization ${row.orgId}`);
    if (timestampMs < this.#span.from || timestampMs > this.#span.to)
      inserted("an entry of the range", `an entry of ${new Date(timestampMs).toISOString()}`);
    if (range.kind === "sequence" && (seq < range.first || seq > range.last))
      inserted(`sequences ${range.first} to ${range.last}`, `sequence ${seq}`);
    if (seq > checkpoint.size) inserted(`sequences up to ${checkpoint.size}`, `sequence ${seq}`);
    if (seq !== this.#at + 1) {
      this.#isTorn = true;
      if (seq > this.#at) this.#missing(this.#at + 1, `sequence ${seq}`);
      else inserted(`sequence ${this.#at + 1}`, `sequence ${seq}`);
    } else this.#checkLink(row);
  }

  #checkLink(row: RowReader): void {
    const { seq, hasPrevious, prevChecksum } = row;
    const isFirst = seq === 1;
    const isBehind = this.#isBehindRow;
    if (isFirst ? !hasPrevious : hasPrevious && (!isBehind || equal32(prevChecksum, this.#before))) return;
    const none = "no previous row";
    this.#report({
      seq,
      id: row.id,
      kind: "relinked",
      expected: isFirst ? none : isBehind ? toHex(this.#before) : "the checksum of the row before",
      actual: hasPrevious ? toHex(prevChecksum) : none,
    });
  }

  /** @throws BadLine unless it is the canonical way to skip these leaves */
  skip({ through, hashes }: { through: number; hashes: readonly string[] }): void {
    const { size } = this.input.checkpoint;
    if (this.#at > 0 && !this.#isBehindRow) throw new BadLine("a skip behind a skip");
    if (through <= this.#at) throw new BadLine(`a skip through ${through} behind sequence ${this.#at}`);
    if (through > size) throw new BadLine(`a skip through ${through}, the checkpoint is of size ${size}`);
    const parts = decompose(this.#at, through);
    if (parts.length !== hashes.length)
      throw new BadLine(`${hashes.length} hashes where the tree has ${parts.length} for these entries`);
    for (const [i, { height }] of parts.entries()) {
      const hash = fromBase64(hashes[i] ?? "");
      if (!hash) throw new BadLine("a hash that is no base64");
      this.#fold.push(height, hash);
    }
    if (this.#found.rows === 0) this.#skippedFirst = through;
    else this.#checkWhole(through);
    this.#found.skipped += through - this.#at;
    this.#at = through;
    this.#isBehindRow = false;
  }

  /** Rejects skips after rows: none in a whole chain, and only after the last row in a range by sequence. */
  #checkWhole(through: number): void {
    const { range } = this.input;
    const last = range.kind === "whole" ? Number.POSITIVE_INFINITY : range.kind === "sequence" ? range.last : 0;
    if (this.#at < last) this.#missing(this.#at + 1, `hashes through sequence ${through}`);
  }

  #gone(): Walked["gone"] {
    const { range } = this.input;
    if (range.kind === "time") return null;
    const first = range.kind === "whole" ? 1 : range.first;
    const last = range.kind === "whole" ? Number.POSITIVE_INFINITY : range.last;
    return this.#skippedFirst >= first ? { first, last: Math.min(this.#skippedFirst, last) } : null;
  }

  #checkEnds(): void {
    const { range, receipt, checkpoint } = this.input;
    if (range.kind === "sequence") {
      if (range.last > checkpoint.size) this.#cut(`sequences up to ${range.last}, as the header says`);
    }
    const gone = this.#gone();
    const permitted = receipt?.through ?? 0;
    if (gone && gone.last > permitted)
      this.#missing(Math.max(gone.first, permitted + 1), `hashes through sequence ${gone.last}`);
    if (this.#at < checkpoint.size) this.#cut(`entries up to sequence ${checkpoint.size}, the checkpoint's size`);
  }

  #cut(expected: string): void {
    this.#isTorn = true;
    const actual = `the last line is of sequence ${this.#at}`;
    this.#report(breakOf({ seq: this.#at + 1, kind: "truncated", expected, actual }));
  }

  /** Checks the root, unless a known fault is already reported. */
  #checkRoot(): void {
    const [root, signed] = [this.#fold.root(), this.input.checkpoint.root];
    if (this.#isTorn || this.#breaks.length > 0 || equalBytes(root, signed)) return;
    const expected = `entries and hashes that come to the checkpoint's root ${toBase64(signed)}`;
    this.#report(
      breakOf({ seq: this.#found.firstSeq ?? 1, kind: "altered", expected, actual: `root ${toBase64(root)}` }),
    );
  }

  finish(): Walked {
    this.#checkEnds();
    this.#checkRoot();
    return { ...this.#found, gone: this.#gone(), breaks: this.#breaks.sort((a, b) => a.seq - b.seq) };
  }
}

function equal32(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < 32; i++) if (a[i] !== b[i]) return false;
  return true;
}
