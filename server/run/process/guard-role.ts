import type postgres from "postgres";
import { appSql } from "@/db/client";
import { ExpectedError } from "@/db/thrown";

/** Thrown if the application's database role could bypass row-level security and immutability. */
export class UnsafeRoleError extends ExpectedError {}

/**
 * Refuses a role that could bypass the audit trail's protection (superuser, BYPASSRLS, owner of an audit table, the
 * roles that prune and seal, or a member of any of these).
 * @throws UnsafeRoleError naming the role and the remedy.
 */
export async function refuseUnsafeRole(sql: postgres.Sql = appSql()): Promise<void> {
  const [role] = await sql<
    { name: string; super: boolean; bypass: boolean; prunes: boolean; seals: boolean; owns: string[] }[]
  >`
    SELECT current_user AS name,
      bool_or(r.rolsuper) AS super,
      bool_or(r.rolbypassrls) AS bypass,
      bool_or(r.rolname = 'trailmark_audit_admin') AS prunes,
      bool_or(r.rolname = 'trailmark_sealer') AS seals,
      ARRAY(
        SELECT c.relname FROM pg_class c
        WHERE c.relname IN ('audit_logs', 'audit_chain_heads', 'audit_retention_policies')
          AND c.relnamespace = 'public'::regnamespace
          AND pg_has_role(current_user, c.relowner, 'MEMBER')
      ) AS owns
    FROM pg_roles r
    WHERE pg_has_role(current_user, r.oid, 'MEMBER')`;
  if (!role) throw new UnsafeRoleError("The database does not know its own current role.");
  const faults = [
    ...(role.super ? ["is a superuser"] : []),
    ...(role.bypass ? ["bypasses row level security"] : []),
    ...(role.prunes ? ["may prune"] : []),
    ...(role.seals ? ["may seal directly"] : []),
    ...(role.owns.length > 0 ? [`owns ${role.owns.join(", ")}`] : []),
  ];
  if (faults.length > 0)
    throw new UnsafeRoleError(
      `DATABASE_URL names the role "${role.name}", which ${faults.join(" and ")}: it could change history. ` +
        "Use the application role (trailmark_app) there and keep the owner for TRAILMARK_OWNER_DATABASE_URL.",
    );
}
