import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { gauge } from "@/server/ground/background/metrics";
import { emptyIndex, findOtherCounts } from "./indexer";
import { IndexThread } from "./thread";

const POLL_MS = 1_000;
/** While others write and it is not far behind, the indexer takes a fifth of a core. */
const REST_FACTOR = 4;
/** Beyond this backlog searches slow down, so the indexer does not rest. */
const FAR_BEHIND_ROWS = 20_000;

/** An organization and its number of unindexed rows; 0 if only pruned ones remain to be removed. */
type Backlog = { orgId: string; rows: number };

/** Organizations with work for the indexer, largest backlog first. */
const readBacklog = (): Promise<Backlog[]> =>
  asSystem((tx) =>
    rowsOf(tx, sql`SELECT org_id AS "orgId", rows::float8 AS rows FROM audit_search_backlog() ORDER BY rows DESC`),
  );

/** Unindexed rows at the start of the last round. */
let behind = 0;
/** Rows left by the last round: more than that now means active writers. */
let left = 0;

/** The thread lingers when idle, because starting one costs as much as a step. */
const IDLE_POLLS = 30;
let thread: IndexThread | undefined;
let idle = 0;

async function endThread(): Promise<void> {
  await thread?.stop();
  thread = undefined;
}

/**
 * One step in each chain with work, so that a long history does not delay others.
 * @returns whether there is more to do
 */
async function round(signal: AbortSignal): Promise<boolean> {
  gauge("trailmark_audit_search_behind_rows", "Audit entries that the search index has not come to", () => behind);
  const backlog = await readBacklog();
  behind = backlog.reduce((sum, { rows }) => sum + rows, 0);
  const rest = behind > left && behind < FAR_BEHIND_ROWS ? REST_FACTOR : 0;
  let indexed = 0;
  for (const { orgId } of backlog) {
    const began = performance.now();
    thread ??= new IndexThread();
    const rows = await thread.index(orgId);
    if (rows === null || signal.aborted) return false;
    indexed += rows;
    if (rest > 0) await sleep(rest * (performance.now() - began), undefined, { signal });
  }
  left = behind - indexed;
  idle = indexed > 0 ? 0 : idle + 1;
  return indexed > 0;
}

const loop = backgroundLoop("audit search index", POLL_MS, async (stopping) => {
  try {
    while (layout().isIndexed && (await round(stopping)));
    if (idle > IDLE_POLLS) await endThread();
  } catch (error) {
    await endThread();
    throw error;
  }
});

/**
 * Keeps the search index close behind the chains; searches read unindexed rows until then. One process at a time does
 * the work.
 */
export const searchWorker = {
  ...loop,
  async stop() {
    const stopped = loop.stop();
    await endThread();
    await stopped;
  },
};

async function onThread<T>(work: (thread: IndexThread) => Promise<T>): Promise<T> {
  const own = new IndexThread();
  try {
    return await work(own);
  } finally {
    await own.stop();
  }
}

/** Another process is working; retry soon. */
const WAIT_MS = 200;

/** Rebuilds the index of a chain; searches read its rows until then. */
export async function rebuildIndex(orgId: string): Promise<void> {
  await emptyIndex(orgId);
  await onThread(async (own) => {
    for (let rows: number | null = null; rows !== 0; rows = await own.index(orgId))
      if (rows === null) await sleep(WAIT_MS);
  });
}

/**
 * Rebuilds and recounts the segments that start in a part of a chain, and rebuilds the whole index if one is wrong or
 * missing.
 * @returns first sequences of those
 */
export async function checkIndex(orgId: string, span: { first: number; last: number }): Promise<number[]> {
  if (!layout().isIndexed) return [];
  const segments = await asSystem((tx) =>
    rowsOf<{ first: number; isBehindGap: boolean }>(
      tx,
      sql`SELECT s.first_seq::float8 AS first,
          s.first_seq > lag(s.last_seq, 1, h.pruned_through_seq) OVER (ORDER BY s.first_seq) + 1 AS "isBehindGap"
        FROM audit_chain_heads_of(ARRAY[${orgId}]::uuid[]) h JOIN audit_segments s ON s.org_id = h.org_id`,
    ),
  );
  const gaps = segments.filter(({ isBehindGap }) => isBehindGap).map(({ first }) => first);
  const isInSpan = segments.some(({ first }) => first >= span.first && first <= span.last);
  const damaged = isInSpan ? await onThread((own) => own.findDamage(orgId, span)) : [];
  const all = [...new Set([...gaps, ...damaged, ...(await findOtherCounts(orgId, span))])];
  if (all.length > 0) await rebuildIndex(orgId);
  return all;
}
