import { and, eq, type SQL, sql } from "drizzle-orm";
import { textArray, uuids } from "@/db/arrays";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { auditVerifications, devices, enrollmentKeys, organizations, userPreferences } from "@/db/schema/index";
import { witnessPolicy } from "@/server/evidence/witnesses/policy-file";
import type { Ctx, Scope } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { inScope } from "@/server/ground/scope";
import { noInput } from "@/server/ground/wire";
import { secondFactorsOf } from "@/server/identity/auth/second-factor/factors";
import { lastBackup } from "@/server/setup/backup-runs";
import { type Checklist, checklist, dismissInput } from "./schema";

type Facts = {
  firstOrg: string | null;
  deviceOrg: string | null;
  hasKey: boolean;
  isHeard: boolean;
};

/** Steps done by the caller's organizations, each by probing for a first row. */
async function factsOf(tx: Tx, { scope }: Ctx): Promise<Facts> {
  const [facts] = await rowsOf<Facts>(
    tx,
    sql`SELECT
      (SELECT id FROM ${organizations} WHERE ${inScope(organizations.id, scope)} AND NOT is_home
        ORDER BY created_at LIMIT 1) AS "firstOrg",
      (SELECT org_id FROM ${devices} WHERE ${inScope(devices.orgId, scope)} ORDER BY created_at LIMIT 1) AS "deviceOrg",
      EXISTS (SELECT FROM ${enrollmentKeys} WHERE ${inScope(enrollmentKeys.orgId, scope)}) AS "hasKey",
      EXISTS (SELECT FROM ${devices} WHERE ${inScope(devices.orgId, scope)} AND last_seen_at IS NOT NULL) AS "isHeard"`,
  );
  if (!facts) throw new RangeError("a statement without a row");
  return facts;
}

/** First device of each organization, as rows `d(org_id, at)`: read first, because logs may be on other nodes. */
async function joinedDevices(tx: Tx, scope: Scope): Promise<SQL> {
  const rows = await rowsOf<{ orgId: string; at: string }>(
    tx,
    sql`SELECT org_id AS "orgId", min(created_at)::text AS at FROM ${devices}
      WHERE ${inScope(devices.orgId, scope)} GROUP BY org_id`,
  );
  return sql`unnest(${uuids(rows.map(({ orgId }) => orgId))}, ${textArray(rows.map(({ at }) => at))}::timestamptz[]) AS d(org_id, at)`;
}

/** True if a log was found intact after a device of its organization joined. */
async function isVerified(tx: Tx, { scope }: Ctx): Promise<boolean> {
  const rows = await rowsOf(
    tx,
    sql`SELECT 1 FROM ${auditVerifications} JOIN ${await joinedDevices(tx, scope)} ON d.org_id = ${auditVerifications.orgId}
      WHERE ${inScope(auditVerifications.orgId, scope)} AND ${auditVerifications.status} = 'intact'
        AND ${auditVerifications.rowsChecked} > 0 AND ${auditVerifications.ranAt} > d.at LIMIT 1`,
  );
  return rows.length > 0;
}

async function isDismissed(tx: Tx, userId: string): Promise<boolean> {
  const where = and(eq(userPreferences.userId, userId), eq(userPreferences.key, CHECKLIST_KEY));
  const [row] = await tx.select({ value: userPreferences.value }).from(userPreferences).where(where);
  return (
    typeof row?.value === "object" && row.value !== null && "dismissed" in row.value && row.value.dismissed === true
  );
}

/** Setup progress of this installation for the caller, from actual data. */
export const getChecklist = operation({
  input: noInput,
  output: checklist,
  async run(ctx): Promise<Checklist | null> {
    const { actor, scope } = ctx;
    const mayCreate = scope.kind !== "organization" && ctx.permissions.has("organizations:manage");
    if (actor.type !== "user" || !mayCreate) return null;
    const [facts, verified, dismissed] = await tenant(scope, (tx) =>
      Promise.all([factsOf(tx, ctx), isVerified(tx, ctx), isDismissed(tx, actor.id)]),
    );
    const [factors, backup] = await Promise.all([secondFactorsOf(actor.id), lastBackup()]);
    return {
      steps: [
        { step: "organization", done: facts.firstOrg !== null },
        // A device joined with a key, even if the key is gone.
        { step: "enrollment_key", done: facts.hasKey || facts.deviceOrg !== null },
        { step: "agent", done: facts.isHeard },
        { step: "verified", done: verified },
        { step: "backup", done: backup !== null },
        { step: "witness", done: Boolean(witnessPolicy()?.quorum) },
        { step: "two_factor", done: factors.isOn },
      ],
      orgId: facts.deviceOrg ?? facts.firstOrg,
      lastBackupAt: backup?.ranAt.toISOString() ?? null,
      dismissed,
    };
  },
});

const CHECKLIST_KEY = "setup.checklist";

/**
 * Hides or shows the checklist for the caller. Like any preference it is not recorded.
 * @throws AppError forbidden for programs.
 */
export const dismissChecklist = operation({
  input: dismissInput,
  output: dismissInput,
  async run(ctx, value) {
    const { actor } = ctx;
    if (actor.type !== "user") throw new AppError("forbidden", "Preferences belong to people.");
    const updatedAt = ctx.now();
    await tenant(ctx.scope, (tx) =>
      tx
        .insert(userPreferences)
        .values({ userId: actor.id, key: CHECKLIST_KEY, value, updatedAt })
        .onConflictDoUpdate({
          target: [userPreferences.userId, userPreferences.key],
          set: { value, updatedAt },
        }),
    );
    return value;
  },
});
