import { Cron } from "croner";
import { hasAdmin } from "@/db/admin";
import { RETENTION_CRON } from "./schema";

/** Reason that audit entries are never pruned here; null if they are. */
export const whyNotPruned = (): string | null => (hasAdmin() ? null : "AUDIT_ADMIN_DATABASE_URL is not set");

export const isPruningEnabled = (): boolean => hasAdmin();

export const nextRunAt = (now: Date): Date | null =>
  new Cron(RETENTION_CRON, { timezone: "UTC", paused: true }).nextRun(now);
