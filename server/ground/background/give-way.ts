import { readlinkSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { basename } from "node:path";
import { isMainThread } from "node:worker_threads";

/** A tenth of the weight of the thread that answers requests: its work waits for this one's by no more than that. */
const NICENESS = 10;

/** The priority of a thread that gives way, in a process of this one's priority. */
export const givenWay = (): number => Math.min(getPriority() + NICENESS, constants.priority.PRIORITY_LOW);

/**
 * Lets the thread that calls this have the processor after the one that answers requests; what the database reads for it
 * waits with it. Linux alone knows a priority of a thread (setpriority(2)), elsewhere this does nothing.
 */
export function giveWay(): void {
  if (process.platform !== "linux" || isMainThread) return;
  try {
    setPriority(Number(basename(readlinkSync("/proc/thread-self"))), givenWay());
  } catch {
    // No /proc, or a sandbox that forbids it: it works as fast as the others.
  }
}
