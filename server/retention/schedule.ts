import { Cron } from "croner";
import { sql } from "drizzle-orm";
import { hasAdmin, openAdmin } from "@/db/admin";
import { rowsOf } from "@/db/rows";
import { messageOf } from "@/db/thrown";
import { RETENTION_CRON } from "./schema";

/** Reason that audit entries are never pruned here; null if they are. */
export const whyNotPruned = (): string | null => (hasAdmin() ? null : "AUDIT_ADMIN_DATABASE_URL is not set");

/** Checks that the elevated role is reachable, may prune, and has no other rights. */
export async function checkAdminConnection(): Promise<{ level: "ok" | "warn" | "fail"; detail: string }> {
  const reason = whyNotPruned();
  if (reason) return { level: "warn", detail: `${reason}: nothing is ever pruned` };
  const admin = openAdmin();
  try {
    const [role] = await admin.transaction((tx) =>
      rowsOf<{ name: string; super: boolean; member: boolean }>(
        tx,
        sql`SELECT current_user AS name, r.rolsuper OR r.rolbypassrls AS super,
        pg_has_role(current_user, 'trailmark_audit_admin', 'USAGE') AS member
        FROM pg_roles r WHERE r.rolname = current_user`,
      ),
    );
    if (!role) return { level: "fail", detail: "the database does not know its own current role" };
    if (role.super)
      return { level: "fail", detail: `"${role.name}" is a superuser: the database refuses its deletions` };
    if (!role.member) return { level: "fail", detail: `"${role.name}" is not a member of trailmark_audit_admin` };
    return { level: "ok", detail: `on, as ${role.name}` };
  } catch (error) {
    return { level: "fail", detail: `AUDIT_ADMIN_DATABASE_URL: ${messageOf(error)}` };
  } finally {
    await admin.end();
  }
}

export const isPruningEnabled = (): boolean => hasAdmin();

export const nextRunAt = (now: Date): Date | null =>
  new Cron(RETENTION_CRON, { timezone: "UTC", paused: true }).nextRun(now);
