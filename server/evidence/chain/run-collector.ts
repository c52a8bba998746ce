import { type Anchor, type Link, MAX_BREAKS, type Run } from "./verifier";

/** A row as seen by the collector; lazy, to skip unneeded work. */
export type RowView = {
  seq: number;
  recomputed: string;
  checksum: string;
  /** True if the checksum matches the contents. */
  isUnaltered: boolean;
  links(checksum: string): boolean;
  toLink(before?: string): Link;
};

/**
 * Combines rows into runs: consecutive, unaltered and each linked to the one before. Faults can only occur at the start
 * of a run, so a judge finds the same in runs as in rows, however the chain was divided. After the maximum of reported
 * breaks, rows are only counted.
 */
export class RunCollector {
  #run: { first: Link; last: Anchor; rows: number } | null = null;
  #breaks = 0;

  /** @param mark the sequence of the requested row: a run ends with it */
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

  /** True if a judge would report a break here; a row without a number has no location. */
  #isBreak(last: Anchor, row: RowView): boolean {
    if (!row.isUnaltered) return true;
    return !Number.isNaN(row.seq - last.seq) && !this.#fits(last, row);
  }

  end(): void {
    if (this.#run) this.onRun(this.#run);
    this.#run = null;
  }
}
