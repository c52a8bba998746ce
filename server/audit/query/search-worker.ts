import { setTimeout as sleep } from "node:timers/promises";
import { log } from "@/server/log";
import { shared } from "@/server/shared";
import { advanceIndex, listBacklog } from "./search-index";

const POLL_MS = 1_000;
/** The indexer takes at most a third of one core from those who write. */
const REST_FACTOR = 2;

/** Rows of a step: as many as take a moment, whatever their size. */
const MAX_STEP_ROWS = 4_096;
const MIN_STEP_ROWS = 64;
const SHORT_MS = 200;
const LONG_MS = 600;

type State = { stopping: AbortController | null; running: Promise<void> | null; rows: number };
const state = () =>
  shared("audit.search-worker", (): State => ({ stopping: null, running: null, rows: MAX_STEP_ROWS }));

/** One step, after which the next is as large as this one was fast. */
async function step(orgId: string): Promise<{ advanced: number | null; ms: number }> {
  const own = state();
  const began = performance.now();
  try {
    const advanced = await advanceIndex(orgId, own.rows);
    const ms = performance.now() - began;
    if (ms < SHORT_MS) own.rows = Math.min(MAX_STEP_ROWS, own.rows * 2);
    else if (ms > LONG_MS) own.rows = Math.max(MIN_STEP_ROWS, own.rows >> 1);
    return { advanced, ms };
  } catch (error) {
    own.rows = MIN_STEP_ROWS; // Rows so large that the statement took too long.
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

async function run(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await round(signal)) continue;
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, "audit rows were not indexed; searches read them instead");
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

/** Keeps the audit log's search index close behind its chains. One process at a time does the work, whichever comes first. */
export const searchWorker = {
  name: "audit-search",
  async start(): Promise<void> {
    const own = state();
    own.stopping = new AbortController();
    own.running = run(own.stopping.signal);
  },
  async stop(): Promise<void> {
    const own = state();
    own.stopping?.abort();
    await own.running;
  },
};
