import { log } from "@/server/log";
import { shared } from "@/server/shared";
import { claimImport, freeDeadClaims, owner } from "./lease";
import { runImportJob } from "./run-job";

/** How often a process looks for work that another one has been asked for, or has left behind. */
const POLL_MS = 2_000;

type Loop = { isOn: boolean; timer: NodeJS.Timeout | null; working: Promise<void> | null; again: boolean };
const loop = shared("imports.loop", (): Loop => ({ isOn: false, timer: null, working: null, again: false }));

/** Claims and does everything that waits, one import after the other. */
export async function workOffImports(): Promise<void> {
  for (;;) {
    if (owner.isStopping) return;
    const id = await claimImport();
    if (id === null) return;
    await runImportJob(id);
  }
}

function look(): void {
  if (!loop.isOn || loop.working) return;
  loop.again = false;
  loop.working = workOffImports()
    .catch((error: unknown) => log.error({ err: error }, "custom field import: background work failed"))
    .finally(() => {
      loop.working = null;
      if (!loop.isOn) return;
      loop.timer = setTimeout(look, loop.again ? 0 : POLL_MS);
      loop.timer.unref();
    });
}

/** Tells this process's worker, if it runs one, that there is work; others see it at their next look. */
export function wakeImports(): void {
  loop.again = true;
  if (loop.timer) clearTimeout(loop.timer);
  loop.timer = null;
  look();
}

/** The import's background worker; several processes may run one, each import is done by one of them at a time. */
export const importWorker = {
  name: "custom-field-import",
  async start(): Promise<void> {
    owner.isStopping = false;
    loop.isOn = true;
    await freeDeadClaims();
    look();
  },
  async stop(): Promise<void> {
    owner.isStopping = true;
    loop.isOn = false;
    if (loop.timer) clearTimeout(loop.timer);
    await loop.working;
  },
};
