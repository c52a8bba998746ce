import { sql } from "drizzle-orm";
import { openAdmin } from "@/db/admin";
import { rowsOf } from "@/db/rows";
import { messageOf } from "@/db/thrown";
import { isPruningEnabled } from "./schedule";

export type ConnectionCheck = { status: "ok" | "off" | "wrong"; detail: string };

/** Checks that the elevated role is reachable, may prune, and has no other rights. */
export async function checkAdminConnection(): Promise<ConnectionCheck> {
  if (!isPruningEnabled())
    return { status: "off", detail: "AUDIT_ADMIN_DATABASE_URL is not set: nothing is ever pruned" };
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
    if (!role) return { status: "wrong", detail: "the database does not know its own current role" };
    if (role.super)
      return { status: "wrong", detail: `"${role.name}" is a superuser: the database refuses its deletions` };
    if (!role.member) return { status: "wrong", detail: `"${role.name}" is not a member of trailmark_audit_admin` };
    return { status: "ok", detail: `on, as ${role.name}` };
  } catch (error) {
    return { status: "wrong", detail: `AUDIT_ADMIN_DATABASE_URL: ${messageOf(error)}` };
  } finally {
    await admin.end();
  }
}
