import { gauge } from "@/server/ground/background/metrics";
import type { JobKind } from "@/server/ground/jobs";
import { log } from "@/server/ground/log";
import { runRetention } from "./run";
import { whyNotPruned } from "./schedule";
import { RETENTION_CRON } from "./schema";

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

/** The daily pruning run (spec, States, rule 1); without the admin connection it only says that it does nothing. */
export const retentionJob: JobKind<object> = {
  name: "retention",
  cron: RETENTION_CRON,
  catchesUp: true,
  atOnce: 1,
  maxAttempts: 8,
  async run(_, { signal }) {
    const run = await runRetention({ signal });
    const failed = run.organizations.filter((o) => o.error).length;
    log.info({ status: run.status, rows: run.rows, organizations: run.organizations.length, failed }, "retention run");
    if (run.status === "disabled") announcePruning();
    // The lock of a process that was killed is gone once the database has noticed, within seconds.
    if (run.status === "busy") throw new Error("another process is pruning; this run continues later");
    if (run.status === "stopped") throw new Error("the retention run was stopped and continues later");
  },
};
