import { Cron } from "croner";
import { hasAdmin } from "@/db/admin";
import { env } from "@/server/env";
import { RETENTION_CRON } from "./schema";

/** Why audit rows are never pruned here, whatever the policies say; null where they are. */
export function whyNotPruned(): string | null {
  if (!hasAdmin()) return "AUDIT_ADMIN_DATABASE_URL is not set";
  // The trigger that proves a deletion is not planned on the nodes of a cluster (docs/growing.md).
  return env().TRAILMARK_CITUS ? "TRAILMARK_CITUS is on, and a distributed log cannot be pruned yet" : null;
}

export const isPruningEnabled = (): boolean => whyNotPruned() === null;

/** When the daily run comes next. */
export const nextRunAt = (now: Date): Date | null =>
  new Cron(RETENTION_CRON, { timezone: "UTC", paused: true }).nextRun(now);
