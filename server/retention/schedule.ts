import { Cron } from "croner";
import { hasAdmin } from "@/db/admin";
import { RETENTION_CRON } from "./schema";

/** False without AUDIT_ADMIN_DATABASE_URL: then nothing is ever pruned, whatever the policies say. */
export const isPruningEnabled = (): boolean => hasAdmin();

/** When the daily run comes next. */
export const nextRunAt = (now: Date): Date | null =>
  new Cron(RETENTION_CRON, { timezone: "UTC", paused: true }).nextRun(now);
