import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Server } from "@/testing/server";
import { clusterOf } from "@/testing/server";

/** CPU time of the product so far, which is more meaningful than wall time on a busy machine. */

const linesOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

/** CPU time in ms of a process's threads by id (schedstat, in ns). */
function threadsOf(pid: number): [string, number][] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const [ns] = linesOf(`/proc/${pid}/task/${thread}/schedstat`).split(" ");
      return [thread, Number(ns) / 1e6];
    });
  } catch {
    return [];
  }
}

/** CPU time (ms) of the server and its PostgreSQL by thread; empty if unavailable. */
export function workOf({ child, dataDir }: Server): Map<string, number> {
  const postmaster = Number.parseInt(linesOf(join(clusterOf(dataDir).folder, "postmaster.pid")), 10);
  const backends = linesOf(`/proc/${postmaster}/task/${postmaster}/children`).trim().split(/\s+/).map(Number);
  const pids = [child.pid ?? 0, postmaster, ...backends].filter((pid) => pid > 0);
  return new Map(pids.flatMap(threadsOf));
}

/** CPU time between two moments (ms), without threads that ended in between. */
export function workBetween(before: Map<string, number>, after: Map<string, number>): number {
  let sum = 0;
  for (const [thread, ms] of after) sum += ms - (before.get(thread) ?? 0);
  return sum;
}
