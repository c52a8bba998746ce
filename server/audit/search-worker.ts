import { setTimeout as sleep } from "node:timers/promises";
import { log } from "../log";
import { shared } from "../process/shared";
import { advanceIndex, listBacklog } from "./search-index";

const POLL_MS = 1_000;
/** The indexer takes at most a third of one core from those who write. */
const REST_FACTOR = 2;

type State = { stopping: AbortController | null; running: Promise<void> | null };
const state = () => shared("audit.search-worker", (): State => ({ stopping: null, running: null }));

/** One step in each chain that needs one, so that a long history does not keep the others waiting. */
async function round(signal: AbortSignal): Promise<boolean> {
  let worked = false;
  for (const orgId of await listBacklog()) {
    const began = performance.now();
    const advanced = await advanceIndex(orgId);
    if (advanced === null || signal.aborted) return false;
    worked ||= advanced > 0;
    await sleep(REST_FACTOR * (performance.now() - began), undefined, { signal });
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
