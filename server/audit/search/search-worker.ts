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
/** While others write and it is not far behind, the indexer takes a fifth of one core from them. */
const REST_FACTOR = 4;
/** So many rows past the index make a search noticeably slower: then the indexer does not rest. */
const FAR_BEHIND_ROWS = 50_000;

/** An organization, and how many of its rows are not indexed yet; none where pruned ones still are. */
type Backlog = { orgId: string; rows: number };

/** Organizations with work for the indexer, those with most of it first. */
const readBacklog = (): Promise<Backlog[]> =>
  asSystem((tx) =>
    rowsOf(tx, sql`SELECT org_id AS "orgId", rows::float8 AS rows FROM audit_search_backlog() ORDER BY rows DESC`),
  );

/** Rows that were not indexed when the last round began. */
let behind = 0;
/** How many of them it left: more than that now means that there are writers. */
let left = 0;

/** The thread lives for as long as there is something to do, and somewhat longer: to start one costs as much as a step. */
const IDLE_POLLS = 30;
let thread: IndexThread | undefined;
let idle = 0;

async function endThread(): Promise<void> {
  await thread?.stop();
  thread = undefined;
}

/**
 * One step in each chain that needs one, so that a long history does not keep the others waiting.
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
 * Keeps the audit log's search index close behind its chains; until then searches read what is not indexed. One process
 * at a time does the work, whichever comes first.
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

/** Another process is at work, for a moment. */
const WAIT_MS = 200;

/** Makes the index of a chain anew; until that is done searches read its rows. */
export async function rebuildIndex(orgId: string): Promise<void> {
  await emptyIndex(orgId);
  await onThread(async (own) => {
    for (let rows: number | null = null; rows !== 0; rows = await own.index(orgId))
      if (rows === null) await sleep(WAIT_MS);
  });
}

/**
 * Builds the segments again that begin in a part of a chain, counts that part again, and makes the whole index anew where
 * one is not what its rows say, or where one is missing before another.
 * @returns the first sequences of those
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
