import { type Anchor, type Link, MAX_BREAKS, type Run } from "./verifier";

/** A row as the collector looks at it; nothing is asked that is not needed. */
export type RowView = {
  seq: number;
  recomputed: string;
  checksum: string;
  /** Whether the checksum is that of the contents. */
  isUnaltered: boolean;
  links(checksum: string): boolean;
  toLink(before?: string): Link;
};

/**
 * Puts rows together into runs: neighbours by sequence, each unaltered and linked to the one before. What a judge would
 * find is at the beginnings of runs alone, so that it says of runs what it says of their rows, wherever the chain
 * was divided. Behind as many breaks as a judge reports, rows are only counted.
 */
export class RunCollector {
  #run: { first: Link; last: Anchor; rows: number } | null = null;
  #breaks = 0;

  /** @param mark the sequence whose row is wanted: a run ends with it */
  constructor(
    private readonly mark: number | undefined,
    private readonly onRun: (run: Run) => void,
  ) {}

  add(row: RowView): void {
    const run = this.#run;
    if (run && run.last.seq !== this.mark && this.#goesOn(run.last, row)) {
      run.rows++;
      run.last.seq = row.seq;
      run.last.checksum = row.checksum;
      return;
    }
    if (run && this.#isBreak(run.last, row)) this.#breaks++;
    this.end();
    const first = row.toLink(run?.last.checksum);
    this.#run = { first, last: { seq: row.seq, checksum: first.checksum }, rows: 1 };
  }

  #goesOn(last: Anchor, row: RowView): boolean {
    return this.#breaks >= MAX_BREAKS || this.#fits(last, row);
  }

  #fits(last: Anchor, row: RowView): boolean {
    return row.isUnaltered && row.seq === last.seq + 1 && row.links(last.checksum);
  }

  /** Whether a judge reports a break here: not of a row without a number alone, which lies nowhere. */
  #isBreak(last: Anchor, row: RowView): boolean {
    if (!row.isUnaltered) return true;
    return !Number.isNaN(row.seq - last.seq) && !this.#fits(last, row);
  }

  /** Hands over the last run. */
  end(): void {
    if (this.#run) this.onRun(this.#run);
    this.#run = null;
  }
}
