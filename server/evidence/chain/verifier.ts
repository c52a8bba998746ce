/**
 * Verdict over one chain as a pure state machine: the reader of the rows (the server over COPY, the command line and
 * the browser over a bundle) recomputes each checksum and passes rows in sequence order. Nothing here hashes, reads or
 * waits, so all share one judge.
 */

/** index: the entries are right, but the search index differs from them. */
type BreakKind = "altered" | "missing" | "inserted" | "relinked" | "truncated" | "unsealed" | "index";

/** A fault in the chain; expected and actual in words or checksums, whichever is clearer. */
export type Break = { seq: number; id: string; kind: BreakKind; expected: string; actual: string };

/** A break without an entry. */
export const breakOf = (found: Omit<Break, "id">): Break => ({ ...found, id: "" });

/** A row without a seal, and so without a sequence. */
export const unsealed = (id: string): Break => ({
  seq: 0,
  id,
  kind: "unsealed",
  expected: "a sealed row",
  actual: "no sequence and checksum",
});

/** A position in the chain, identified by its checksum. */
export type Anchor = { seq: number; checksum: string };

/** Pruned prefix: its last sequence, and the checksum of that row. */
export type PrunedPrefix = { throughSeq: number; throughChecksum: string | null };

/** The chain's newest row according to the database; "absent" if it has none, "unknown" if not read. */
export type HeadClaim = Anchor | "absent" | "unknown";

export type VerifierInput = {
  /**
   * Row before the first one; 0 for whole chains. Checksum null means that this row is missing, which is a break: the
   * first row has no predecessor.
   */
  start: Anchor | { seq: number; checksum: null };
  /** Sequence that a part must reach; omitted if the head decides. */
  end?: number | undefined;
  /** Retention's receipts; the newest gives the start of the chain. */
  pruned: PrunedPrefix | null;
  /** Sequence of the requested row, to be checked against signed data. */
  mark?: number | undefined;
};

/** One row with its stored and its recomputed checksum. */
export type Link = { seq: number; id: string; checksum: string; prevChecksum: string | null; recomputed: string };

export type Verdict = {
  status: "intact" | "broken" | "empty";
  rowsChecked: number;
  firstSeq: number | null;
  lastSeq: number | null;
  prunedPrefix: PrunedPrefix | null;
  breaks: Break[];
  /** The row at the mark, or the last one before it. */
  marked: Anchor | null;
};

/** Consecutive rows without a break: first row, position of the last, and count. */
export type Run = { first: Link; last: Readonly<Anchor>; rows: number };

/** Maximum of breaks listed: more would add nothing, and the first is exact. */
export const MAX_BREAKS = 100;

export class Verifier {
  readonly #breaks: Break[] = [];
  readonly #pruned: PrunedPrefix | null;
  #prevSeq: number;
  #prevChecksum: string | null;
  #rows = 0;
  #firstSeq: number | null = null;
  /** True while the previous row is unknown: at the start of a range, or of a pruned chain. */
  #atStart = true;
  readonly #startsAtRange: boolean;
  readonly #end: number | undefined;
  readonly #mark: number;
  #marked: Anchor | null = null;

  constructor({ start, end, pruned, mark }: VerifierInput) {
    this.#prevSeq = start.seq;
    this.#prevChecksum = start.checksum;
    this.#startsAtRange = start.seq > 0;
    this.#end = end;
    this.#mark = mark ?? Number.MAX_SAFE_INTEGER;
    this.#pruned = pruned && pruned.throughSeq > 0 ? pruned : null;
    if (this.#startsAtRange && start.checksum === null) this.#reportMissing(start.seq, "no row before the range");
  }

  #report(found: Break): void {
    if (this.#breaks.length < MAX_BREAKS) this.#breaks.push(found);
  }

  /** Adds the next row, in sequence order. */
  add(row: Link): void {
    this.#rows++;
    this.#firstSeq ??= row.seq;
    if (row.recomputed !== row.checksum)
      this.#report({ seq: row.seq, id: row.id, kind: "altered", expected: row.checksum, actual: row.recomputed });
    this.#checkPlace(row);
    if (row.seq === this.#mark) this.#marked = { seq: row.seq, checksum: row.checksum };
    this.#prevSeq = row.seq;
    this.#prevChecksum = row.checksum;
    this.#atStart = false;
  }

  /**
   * Adds a run; only its first row can be at fault, as all others were found unaltered, consecutive and linked. The row
   * at the mark is the last of its run.
   */
  addRun({ first, last, rows }: Run): void {
    this.add(first);
    if (rows === 1) return;
    this.#rows += rows - 1;
    this.#prevSeq = last.seq;
    this.#prevChecksum = last.checksum;
    if (last.seq === this.#mark) this.#marked = { seq: last.seq, checksum: last.checksum };
  }

  #checkPlace(row: Link): void {
    const wanted = this.#prevSeq + 1;
    if (row.seq < wanted) {
      this.#report({
        seq: row.seq,
        id: row.id,
        kind: "inserted",
        expected: `sequence ${wanted}`,
        actual: `sequence ${row.seq}`,
      });
      return;
    }
    if (this.#atStart && !this.#startsAtRange && this.#isPrunedStart(row)) return;
    const throughSeq = this.#atStart && !this.#startsAtRange ? (this.#pruned?.throughSeq ?? 0) : 0;
    if (throughSeq > 0 && row.seq === throughSeq + 1) {
      this.#reportLink(row, this.#pruned?.throughChecksum ?? null);
      return;
    }
    if (row.seq > wanted) {
      // The link after a gap dangles as a consequence, so only one break is reported, at the first missing row.
      const gone = row.seq > throughSeq ? Math.max(wanted, throughSeq + 1) : wanted;
      this.#reportMissing(gone, `sequence ${row.seq}`);
      return;
    }
    const known = !this.#atStart || row.seq === 1 || this.#prevChecksum !== null;
    if (known && row.prevChecksum !== this.#prevChecksum) this.#reportLink(row, this.#prevChecksum);
  }

  #reportMissing(seq: number, actual: string): void {
    this.#report(breakOf({ seq, kind: "missing", expected: `sequence ${seq}`, actual }));
  }

  #reportLink(row: Link, expected: string | null): void {
    const none = "no previous row";
    this.#report({
      seq: row.seq,
      id: row.id,
      kind: "relinked",
      expected: expected ?? none,
      actual: row.prevChecksum ?? none,
    });
  }

  /** Earliest retained row: its dangling link is valid if retention's receipt names it. */
  #isPrunedStart(row: Link): boolean {
    return (
      this.#pruned !== null &&
      this.#pruned.throughSeq === row.seq - 1 &&
      this.#pruned.throughChecksum === row.prevChecksum
    );
  }

  addUnsealed(id: string): void {
    this.#report(unsealed(id));
  }

  finish(claim: HeadClaim): Verdict {
    const last = this.#rows > 0 || this.#startsAtRange ? this.#prevSeq : (this.#pruned?.throughSeq ?? 0);
    const head = typeof claim === "string" ? null : claim;
    if (head) this.#checkHead(head, last);
    if (claim === "absent" && this.#rows > 0) this.#reportNoHead(last);
    if (this.#end !== undefined && last < this.#end)
      this.#reportMissing(last + 1, last === 0 ? "no entry" : `the range ends at sequence ${last}`);
    const breaks = this.#breaks.sort((a, b) => a.seq - b.seq);
    const empty = this.#rows === 0 && breaks.length === 0;
    if (this.#rows > 0 && this.#prevSeq < this.#mark && this.#prevChecksum !== null)
      this.#marked = { seq: this.#prevSeq, checksum: this.#prevChecksum };
    return {
      status: breaks.length > 0 ? "broken" : empty ? "empty" : "intact",
      rowsChecked: this.#rows,
      firstSeq: this.#firstSeq,
      lastSeq: this.#rows > 0 ? this.#prevSeq : null,
      prunedPrefix: this.#pruned,
      breaks,
      marked: this.#marked,
    };
  }

  /** A part has no head to report: more rows may follow. */
  #reportNoHead(last: number): void {
    const actual = `the chain has no head; the last entry read is sequence ${last}`;
    this.#report(breakOf({ seq: last + 1, kind: "truncated", expected: "a head that names the last entry", actual }));
  }

  #checkHead(head: Anchor, last: number): void {
    const named = `(${head.checksum}), which the chain's head names`;
    if (head.seq > last) this.#reportCut(last, `rows up to sequence ${head.seq} ${named}`);
    if (head.seq < last) this.#reportCut(head.seq, `no row behind sequence ${head.seq} ${named}`, last);
    if (head.seq === last && this.#rows > 0 && head.checksum !== this.#prevChecksum)
      this.#reportCut(last - 1, `sequence ${last} ${named}`, last);
  }

  #reportCut(before: number, expected: string, last = before): void {
    const actual =
      last === 0 ? "no entry" : `the last entry is sequence ${last} (${this.#prevChecksum ?? "no checksum"})`;
    this.#report(breakOf({ seq: before + 1, kind: "truncated", expected, actual }));
  }
}
