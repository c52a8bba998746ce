import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { basename } from "node:path";
import { isMainThread } from "node:worker_threads";

/** A tenth of the weight of the thread that answers everybody: its work waits for this one's by no more than that. */
export const NICENESS = 10;

/**
 * Lets the thread that calls this have the processor after the one that answers everybody; what the database reads for it
 * waits with it. Linux alone knows a priority of a thread (setpriority(2)), elsewhere this does nothing.
 */
export function giveWay(): void {
  if (process.platform !== "linux" || isMainThread) return;
  try {
    setPriority(Number(basename(readlinkSync("/proc/thread-self"))), NICENESS);
  } catch {
    // No /proc, or a sandbox that forbids it: it works as fast as the others.
  }
}
