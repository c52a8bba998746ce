import { setTimeout as sleep } from "node:timers/promises";
import { max } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { auditRetentionPolicies } from "@/db/schema";
import type { DailyJob } from "@/server/ground/background/daily-job";
import { gauge } from "@/server/ground/background/metrics";
import { log } from "@/server/ground/log";
import { type RetentionRun, runRetention } from "./run";
import { whyNotPruned } from "./schedule";
import { RETENTION_CRON } from "./schema";

const BUSY_TRIES = 5;
const BUSY_PAUSE_MS = 2_000;

async function lastRanAt(): Promise<Date | null> {
  const { lastCleanupAt } = auditRetentionPolicies;
  const [row] = await asSystem((tx) => tx.select({ at: max(lastCleanupAt) }).from(auditRetentionPolicies));
  return row?.at ?? null;
}

/** Reports in the log and the metrics whether audit entries are ever removed from this installation. */
export function announcePruning(): void {
  gauge(
    "trailmark_retention_enabled",
    "1 when expired audit rows are pruned; 0 without AUDIT_ADMIN_DATABASE_URL",
    () => (whyNotPruned() === null ? 1 : 0),
  );
  const reason = whyNotPruned();
  if (reason) log.warn(`${reason}: no audit entry is ever pruned, regardless of the retention policies`);
}

/** The lock of a process that was killed is gone once the database has noticed, within seconds. */
async function runWhenFree(signal: AbortSignal): Promise<RetentionRun> {
  for (let tries = 0; ; tries++) {
    const run = await runRetention({ signal });
    if (run.status !== "busy" || tries === BUSY_TRIES || signal.aborted) return run;
    await sleep(BUSY_PAUSE_MS);
  }
}

/** The daily pruning run (spec, States, rule 1); without the admin connection it only says that it does nothing. */
export const retentionJob: DailyJob = {
  name: "retention",
  cron: RETENTION_CRON,
  lastRanAt,
  async run(signal) {
    const run = await runWhenFree(signal);
    const failed = run.organizations.filter((o) => o.error).length;
    log.info({ status: run.status, rows: run.rows, organizations: run.organizations.length, failed }, "retention run");
    if (run.status === "disabled") announcePruning();
    if (run.status === "busy") throw new Error("another process is pruning; this run continues later");
    if (run.status === "stopped") throw new Error("the retention run was stopped and continues later");
  },
};
