import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { backgroundLoop } from "@/server/process/background-loop";

const POLL_MS = 1_000;
/** The indexer takes at most a third of one core from those who write. */
const REST_FACTOR = 2;

/** Rows of a step: as many as take a moment, whatever their size. */
const MAX_STEP_ROWS = 4_096;
const MIN_STEP_ROWS = 64;
const SHORT_MS = 200;
const LONG_MS = 600;

/** Organizations whose newest rows are not indexed yet, or whose pruned ones still are. */
export async function listBacklog(): Promise<string[]> {
  const rows = await asSystem((tx) => rowsOf<{ org_id: string }>(tx, sql`SELECT org_id FROM audit_search_backlog()`));
  return rows.map((row) => row.org_id);
}

/**
 * One step of the indexer in one organization's chain: the next `rows` rows, those kept back that do not fill a block.
 * @returns how many rows it indexed; null while another process is at it
 */
export async function advanceIndex(orgId: string, rows = 4_096): Promise<number | null> {
  const [answer] = await asSystem((tx) =>
    rowsOf<{ advanced: number | null }>(tx, sql`SELECT audit_search_advance(${orgId}::uuid, ${rows})::int AS advanced`),
  );
  return answer?.advanced ?? null;
}

let stepRows = MAX_STEP_ROWS;

/** One step, after which the next is as large as this one was fast. */
async function step(orgId: string): Promise<{ advanced: number | null; ms: number }> {
  const began = performance.now();
  try {
    const advanced = await advanceIndex(orgId, stepRows);
    const ms = performance.now() - began;
    if (ms < SHORT_MS) stepRows = Math.min(MAX_STEP_ROWS, stepRows * 2);
    else if (ms > LONG_MS) stepRows = Math.max(MIN_STEP_ROWS, stepRows >> 1);
    return { advanced, ms };
  } catch (error) {
    stepRows = MIN_STEP_ROWS; // Rows so large that the statement took too long.
    throw error;
  }
}

/** One step in each chain that needs one, so that a long history does not keep the others waiting. */
async function round(signal: AbortSignal): Promise<boolean> {
  let worked = false;
  for (const orgId of await listBacklog()) {
    const { advanced, ms } = await step(orgId);
    if (advanced === null || signal.aborted) return false;
    worked ||= advanced > 0;
    await sleep(REST_FACTOR * ms, undefined, { signal });
  }
  return worked;
}

/**
 * Keeps the audit log's search index close behind its chains; until then searches read what is not indexed. One process
 * at a time does the work, whichever comes first.
 */
export const searchWorker = backgroundLoop("audit search index", POLL_MS, async (stopping) => {
  while (await round(stopping));
});
