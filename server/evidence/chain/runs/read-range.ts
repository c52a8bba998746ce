import type { ChainReader } from "@/server/evidence/chain/chain-stream";
import { copyQuery, createRunReader, type SeqRange } from "@/server/evidence/chain/copy-rows";
import type { Run } from "@/server/evidence/chain/verifier";

const PROGRESS_EVERY_ROWS = 20_000;

type Options = {
  orgId: string;
  /** Sequence of the requested row. */
  mark: number | undefined;
  onProgress: (rows: number) => void;
  signal?: AbortSignal | undefined;
};

/** Reads a range of a chain and hashes each row, emitting runs in order. Memory does not grow with the range. */
export async function readRange(reader: ChainReader, range: SeqRange, options: Options): Promise<Run[]> {
  const { orgId, mark, onProgress, signal } = options;
  const runs: Run[] = [];
  const rows = createRunReader(mark, (run) => runs.push(run));
  let reported = 0;
  const push = (chunk: Buffer) => {
    rows.push(chunk);
    if (rows.count() - reported < PROGRESS_EVERY_ROWS) return;
    reported = rows.count();
    onProgress(reported);
  };
  await reader.copy(copyQuery(orgId, range), push, { signal });
  rows.end();
  onProgress(rows.count());
  return runs;
}
