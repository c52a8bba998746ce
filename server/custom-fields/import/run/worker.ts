import { customFieldImports } from "@/db/schema";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { freeDeadClaims } from "@/server/ground/lease";
import { HOUR_MS } from "@/server/ground/time/durations";
import { expireDrafts } from "./expire-drafts";
import { claimImport, owner } from "./lease";
import { runImportJob } from "./run-job";

/** How often a process polls for work that another one was asked for or left behind. */
const POLL_MS = 2_000;

/** Claims and does everything that waits, one import after the other. */
export async function runWaitingImports(): Promise<void> {
  for (;;) {
    if (owner.isStopping) return;
    const claim = await claimImport();
    if (claim === null) return;
    await runImportJob(claim);
  }
}

const EXPIRE_MS = HOUR_MS;

const loop = backgroundLoop("custom field imports", POLL_MS, runWaitingImports);

const expiry = backgroundLoop("expired imports", EXPIRE_MS, async () => {
  await expireDrafts();
});

/** Notifies this process's worker, if it runs one, of new work; other processes find it at their next poll. */
export const notifyImports = (): void => loop.notify();

/** The import's background worker; several processes may run one, each import is done by one of them at a time. */
export const importWorker = {
  name: "custom field imports",
  async start(): Promise<void> {
    owner.isStopping = false;
    await freeDeadClaims(customFieldImports);
    loop.start();
    expiry.start();
  },
  async stop(): Promise<void> {
    owner.isStopping = true;
    await Promise.all([loop.stop(), expiry.stop()]);
  },
};
