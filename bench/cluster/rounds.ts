import { setTimeout as sleep } from "node:timers/promises";
import type { Load } from "@/bench/torture/load";
import type { Cluster } from "./cluster";
import type { Part } from "./part";

const DOWN_MS = 500;
/** Load time between the return of a part and the next kill. */
const AFTER_MS = 3_000;

type Victim = {
  name: string;
  limitMs: number;
  kill: (cluster: Cluster, round: number) => Promise<() => Promise<void>>;
};

/** kill -9, a pause, and a restart as by a supervisor. */
async function lose(lost: Part): Promise<() => Promise<void>> {
  await lost.kill();
  return async () => lost.start();
}

/** Parts killed in turn, and how long a caller may see errors. */
export const VICTIMS: Victim[] = [
  {
    name: "a server process",
    limitMs: 5_000,
    async kill(cluster, round) {
      const at = ([0, 1, 2] as const)[round % 3] ?? 0;
      await cluster.killServer(at);
      return () => cluster.startServer(at);
    },
  },
  { name: "the replica", limitMs: 5_000, kill: async (cluster) => lose(await cluster.nodeAs("sync_standby")) },
  { name: "the primary", limitMs: 15_000, kill: async (cluster) => lose(await cluster.nodeAs("leader")) },
  { name: "the proxy", limitMs: 5_000, kill: async (cluster) => lose(cluster.proxy) },
  { name: "the pooler", limitMs: 5_000, kill: async (cluster) => lose(cluster.pooler) },
];

/** Callers' observations since the last call. */
type Seen = {
  /** Longest time without a successful answer for some caller, in ms. */
  longestMs: number;
  /** Failed statuses and reasons for no answer, with counts. */
  failures: Map<number | string, number>;
};

/** Longest time without a successful answer for some caller that kept asking. */
export class Gaps {
  readonly #lastOk = new Map<number, number>();
  #longest = 0;
  #failures: Seen["failures"] = new Map();

  constructor(load: Load) {
    load.onAnswer = (writer, outcome) => this.#hear(writer, outcome);
  }

  #hear(writer: number, outcome: number | string): void {
    if (typeof outcome !== "number" || outcome >= 300) {
      this.#failures.set(outcome, (this.#failures.get(outcome) ?? 0) + 1);
      return;
    }
    const now = Date.now();
    this.#longest = Math.max(this.#longest, now - (this.#lastOk.get(writer) ?? now));
    this.#lastOk.set(writer, now);
  }

  /** Observations since the last call; ongoing waits still count. */
  take(): Seen {
    const now = Date.now();
    const seen = {
      longestMs: Math.max(this.#longest, ...[...this.#lastOk.values()].map((at) => now - at)),
      failures: this.#failures,
    };
    this.#longest = 0;
    this.#failures = new Map();
    return seen;
  }
}

type Kill = { cluster: Cluster; victim: Victim; round: number; gaps: Gaps };

/** Kills one part under load and waits until it is back. */
export async function killOne({ cluster, victim, round, gaps }: Kill): Promise<Seen> {
  await cluster.nodeAs("leader");
  gaps.take();
  const restart = await victim.kill(cluster, round);
  await sleep(DOWN_MS);
  await restart();
  await cluster.nodeAs("leader");
  await sleep(AFTER_MS);
  return gaps.take();
}
