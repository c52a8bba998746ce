import { auditExports } from "@/db/schema";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { watchCallers } from "@/server/ground/background/streams";
import { freeDeadClaims } from "@/server/ground/lease";
import { claimExport } from "./lease";
import { runExport } from "./run";
import { sweepExports } from "./sweep";

/** How often a process polls for exports that another one was asked for or left behind. */
const POLL_MS = 2_000;
const SWEEP_MS = 60_000;

/** Writes every export that waits, one after the other: a process never writes two at a time. */
export async function workOffExports(stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const row = await claimExport();
    if (!row) return;
    await runExport(row, stopping);
  }
}

const loop = backgroundLoop("audit exports", POLL_MS, workOffExports);
const sweep = backgroundLoop("expired exports", SWEEP_MS, sweepExports);
let unwatch = () => {};

/** Notifies this process's worker, if it runs one, of a new export; other processes find it at their next poll. */
export const notifyExports = (): void => loop.notify();

/** Writes exports in the background and deletes them in time; several processes may run one, each export is one's at a time. */
export const exportWorker = {
  name: "audit exports",
  async start(): Promise<void> {
    await freeDeadClaims(auditExports);
    unwatch = watchCallers(sweep.notify);
    loop.start();
    sweep.start();
  },
  async stop(): Promise<void> {
    unwatch();
    await Promise.all([loop.stop(), sweep.stop()]);
  },
};
