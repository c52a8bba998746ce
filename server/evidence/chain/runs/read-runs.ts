import { layout } from "@/db/citus/layout";
import type { Tenant } from "@/db/client";
import { type ChainReader, THREADS } from "@/server/evidence/chain/chain-stream";
import type { SeqRange } from "@/server/evidence/chain/copy-rows";
import type { Run } from "@/server/evidence/chain/verifier";
import { log } from "@/server/ground/log";
import { readRange } from "./read-range";
import { ChainThread, type ThreadTask } from "./thread";

export type Division = { fromRows: number; rangeRows: number };

/**
 * A shorter chain is read on the current connection before threads would have started. Ranges are small enough for
 * threads to finish together, and large enough to make statement overhead negligible.
 */
export const DIVISION: Division = { fromRows: 20_000, rangeRows: 50_000 };
/** Uses only the current connection and leaves the other cores to writers, for background verifications. */
export const UNDIVIDED: Division = { fromRows: Number.POSITIVE_INFINITY, rangeRows: 1 };
/** Limits the ranges if a row has a far too large sequence. */
const MAX_RANGES = 1_000;

type Extent = { first: number; last: number };

/**
 * Divides a part of a chain among readers. The first and last range keep the part's own ends, open ones too.
 * @param first smallest existing sequence, `last` the largest
 */
export function rangesOf(part: SeqRange, { first, last }: Extent, rangeRows: number): SeqRange[] {
  const span = last - first + 1;
  const rows = Math.max(rangeRows, Math.ceil(span / MAX_RANGES));
  const count = Math.max(1, Math.ceil(span / rows));
  return Array.from({ length: count }, (_, i) => ({
    first: i === 0 ? part.first : first + i * rows,
    last: i === count - 1 ? part.last : first + (i + 1) * rows - 1,
  }));
}

/** Ranges that a thread reads before it yields to another waiting reading. */
const RANGES_A_TURN = 4;

type Reading = {
  tenant: Tenant;
  orgId: string;
  part: SeqRange;
  mark: number | undefined;
  onRun: (run: Run) => void;
  onProgress?: ((rows: number) => void) | undefined;
  signal?: AbortSignal | undefined;
  division?: Division | undefined;
};

/** Ranges of one reading: each is assigned once, and again if it failed; runs are emitted in order. */
class Ranges {
  readonly #open: number[];
  readonly #runs = new Map<number, Run[]>();
  readonly #rows: number[];
  #next = 0;

  constructor(
    private readonly ranges: readonly SeqRange[],
    private readonly reading: Reading,
  ) {
    this.#open = ranges.map((_, at) => at);
    this.#rows = ranges.map(() => 0);
  }

  get left(): boolean {
    return this.#open.length > 0;
  }

  async readNext(read: (range: SeqRange, onProgress: (rows: number) => void) => Promise<Run[]>): Promise<void> {
    const at = this.#open.shift();
    const range = at === undefined ? undefined : this.ranges[at];
    if (at === undefined || !range) return;
    try {
      this.#runs.set(at, await read(range, (rows) => this.#tell(at, rows)));
    } catch (error) {
      this.#open.unshift(at);
      this.#rows[at] = 0;
      throw error;
    }
    for (let runs = this.#runs.get(this.#next); runs; runs = this.#runs.get(this.#next)) {
      for (const run of runs) this.reading.onRun(run);
      this.#runs.delete(this.#next++);
    }
  }

  #tell(at: number, rows: number): void {
    this.#rows[at] = rows;
    this.reading.onProgress?.(this.#rows.reduce((sum, some) => sum + some, 0));
  }
}

/** Reads on one thread after the other until no range is left; other readings get their turn in between. */
async function readOnThreads(ranges: Ranges, task: ThreadTask, signal: AbortSignal | undefined): Promise<void> {
  while (ranges.left && !signal?.aborted)
    await THREADS.run(async () => {
      if (!ranges.left || signal?.aborted) return;
      const thread = new ChainThread(task);
      const stop = () => void thread.stop();
      signal?.addEventListener("abort", stop, { once: true });
      try {
        for (let n = 0; ranges.left && (n < RANGES_A_TURN || THREADS.waiting === 0); n++)
          await ranges.readNext((range, onProgress) => thread.read(range, onProgress));
      } finally {
        signal?.removeEventListener("abort", stop);
        await thread.stop();
      }
    }, signal);
}

async function extentOf({ sql }: ChainReader, orgId: string, { first, last }: SeqRange) {
  const [row] = await sql<{ first: string | null; last: string | null }[]>`
    SELECT min(chain_seq) AS first, max(chain_seq) AS last FROM audit_logs
    WHERE org_id = ${orgId}::uuid AND chain_seq IS NOT NULL
      AND chain_seq >= ${first ?? 0}::bigint AND chain_seq <= ${last ?? Number.MAX_SAFE_INTEGER}::bigint`;
  return row?.first && row.last ? { first: Number(row.first), last: Number(row.last) } : null;
}

async function snapshotOf({ sql }: ChainReader): Promise<string> {
  const [row] = await sql<{ name: string }[]>`SELECT pg_export_snapshot() AS name`;
  return row?.name ?? "";
}

/** Reads all ranges on threads, up to the number of cores; failed ranges are left over. */
async function readParallel(reader: ChainReader, ranges: Ranges, { tenant, orgId, mark, signal }: Reading) {
  const task = { tenant, orgId, mark, snapshot: await snapshotOf(reader) };
  const threads = Array.from({ length: THREADS.max }, () => readOnThreads(ranges, task, signal));
  const found = await Promise.allSettled(threads);
  signal?.throwIfAborted();
  for (const one of found)
    if (one.status === "rejected")
      log.warn({ err: one.reason, orgId }, "a thread could not read a chain; the rest is read on one connection");
}

/**
 * Reads a part of a chain, hashes each row, and emits runs in order. A long part is divided among threads that read in
 * the same snapshot, each on its own connection; if a thread fails, the current connection continues.
 */
export async function readRuns(reader: ChainReader, reading: Reading): Promise<void> {
  const { orgId, part, mark, signal, division = DIVISION } = reading;
  const extent = await extentOf(reader, orgId, part);
  const isDivisible = THREADS.max > 1 && layout().sharesSnapshots;
  const isLong = isDivisible && extent !== null && extent.last - extent.first + 1 >= division.fromRows;
  const ranges = new Ranges(isLong ? rangesOf(part, extent, division.rangeRows) : [part], reading);
  if (isLong) await readParallel(reader, ranges, reading);
  while (ranges.left)
    await ranges.readNext((range, onProgress) => readRange(reader, range, { orgId, mark, onProgress, signal }));
}
