import { setTimeout as sleep } from "node:timers/promises";
import { backgroundLoop } from "@/server/process/background-loop";
import { advanceIndex, listBacklog } from "./search-index";

const POLL_MS = 1_000;
/** The indexer takes at most a third of one core from those who write. */
const REST_FACTOR = 2;

/** Rows of a step: as many as take a moment, whatever their size. */
const MAX_STEP_ROWS = 4_096;
const MIN_STEP_ROWS = 64;
const SHORT_MS = 200;
const LONG_MS = 600;

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
