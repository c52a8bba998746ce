import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { layout } from "@/db/citus/layout";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { gauge } from "@/server/ground/background/metrics";

const POLL_MS = 1_000;
/** While others write and it is not far behind, the indexer takes a fifth of one core from them. */
const REST_FACTOR = 4;
/** So many rows past the index make a search noticeably slower: then the indexer does not rest. */
const FAR_BEHIND_ROWS = 50_000;

/**
 * Rows of a step: as many as take a moment, regardless of their size. A busy machine makes every step long: steps that shrank for
 * that would spend their time on beginning, so it takes rows far larger than usual.
 */
const MAX_STEP_ROWS = 4_096;
const MIN_STEP_ROWS = 64;
const SHORT_MS = 600;
const LONG_MS = 4_000;

/** An organization, and how many of its rows are not indexed yet; none where pruned ones still are. */
type Backlog = { orgId: string; rows: number };

/** Organizations with work for the indexer, those with most of it first. */
async function readBacklog(): Promise<Backlog[]> {
  return asSystem((tx) =>
    rowsOf(tx, sql`SELECT org_id AS "orgId", rows::float8 AS rows FROM audit_search_backlog() ORDER BY rows DESC`),
  );
}

/**
 * One step of the indexer in the chains of some organizations, in one transaction: the next `rows` rows of each, those
 * kept back that do not fill a block.
 * @returns how many rows it indexed; null while another process is at it
 */
async function advanceAll(orgIds: readonly string[], rows: number): Promise<number | null> {
  const [answer] = await asSystem((tx) =>
    rowsOf<{ advanced: number | null }>(
      tx,
      sql`SELECT sum(audit_search_advance(o.id, ${rows}))::int AS advanced
        FROM unnest(${uuids(orgIds)}) AS o(id)`,
    ),
  );
  return answer?.advanced ?? null;
}

let stepRows = MAX_STEP_ROWS;

/** Organizations with few rows each share a step, up to as many rows as one of them would have. */
function* stepsOf(backlog: readonly Backlog[]): Generator<string[]> {
  let [orgIds, sum]: [string[], number] = [[], 0];
  for (const { orgId, rows } of backlog) {
    if (orgIds.length > 0 && sum + rows > stepRows) {
      yield orgIds;
      [orgIds, sum] = [[], 0];
    }
    orgIds.push(orgId);
    sum += rows;
  }
  if (orgIds.length > 0) yield orgIds;
}

/** One step, after which the next is as large as this one was fast. */
async function step(orgIds: readonly string[]): Promise<{ advanced: number | null; ms: number }> {
  const began = performance.now();
  try {
    const advanced = await advanceAll(orgIds, stepRows);
    const ms = performance.now() - began;
    if (ms < SHORT_MS) stepRows = Math.min(MAX_STEP_ROWS, stepRows * 2);
    else if (ms > LONG_MS) stepRows = Math.max(MIN_STEP_ROWS, stepRows >> 1);
    return { advanced, ms };
  } catch (error) {
    stepRows = MIN_STEP_ROWS; // Rows so large that the statement took too long.
    throw error;
  }
}

/** Rows that were not indexed when the last round began. */
let behind = 0;
/** How many of them it left: more than that now means that there are writers. */
let left = 0;

/** One step in each chain that needs one, so that a long history does not keep the others waiting. */
async function round(signal: AbortSignal): Promise<boolean> {
  gauge("trailmark_audit_search_behind_rows", "Audit entries that the search index has not come to", () => behind);
  const backlog = await readBacklog();
  behind = backlog.reduce((sum, { rows }) => sum + rows, 0);
  const rest = behind > left && behind < FAR_BEHIND_ROWS ? REST_FACTOR : 0;
  let indexed = 0;
  for (const orgIds of stepsOf(backlog)) {
    const { advanced, ms } = await step(orgIds);
    if (advanced === null || signal.aborted) return false;
    indexed += advanced;
    if (rest > 0) await sleep(rest * ms, undefined, { signal });
  }
  left = behind - indexed;
  return indexed > 0;
}

/**
 * Keeps the audit log's search index close behind its chains; until then searches read what is not indexed. One process
 * at a time does the work, whichever comes first.
 */
export const searchWorker = backgroundLoop("audit search index", POLL_MS, async (stopping) => {
  while (layout().isIndexed && (await round(stopping)));
});
