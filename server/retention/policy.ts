import { inArray, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { auditRetentionPolicies, organizations } from "@/db/schema/index";
import { eventRow } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { readAlarms } from "@/server/evidence/integrity/alarm";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { isoTimes } from "@/server/ground/records";
import { DAY_MS } from "@/server/ground/time/durations";
import { requireMatch } from "@/server/ground/version";
import { onlyIdInput } from "@/server/ground/wire";
import { findExpired, timeOf } from "./expired";
import { requireArchiving, requireOrganization, showPolicy } from "./organization";
import { isPruningEnabled, nextRunAt } from "./schedule";
import {
  manyChanged,
  manyInput,
  manyPreview,
  type Policy,
  policy,
  policyStatus,
  preview,
  previewInput,
  setInput,
} from "./schema";

/** Settings of a policy that people choose; the other members say when it was applied. */
const settingsOf = ({ orgId, configured, retentionDays, archiveToS3, updatedAt }: Policy) => ({
  ...{ orgId, configured, retentionDays, archiveToS3, updatedAt },
});

/**
 * The retention policy of an organization.
 * @throws AppError not_found
 */
export const getPolicy = operation({
  permission: "audit:read",
  input: onlyIdInput,
  output: policy,
  version: settingsOf,
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      await requireOrganization(tx, ctx, id);
      return showPolicy(tx, id);
    });
  },
});

/**
 * The policy, and whether and when it will be applied.
 * @throws AppError not_found
 */
export const getPolicyStatus = operation({
  permission: "audit:read",
  input: onlyIdInput,
  output: policyStatus,
  async run(ctx, input) {
    const policy = await getPolicy.run(ctx, input);
    const pruningEnabled = isPruningEnabled();
    const next = policy.configured && pruningEnabled ? nextRunAt(ctx.now()) : null;
    return { ...policy, pruningEnabled, nextRunAt: next?.toISOString() ?? null };
  },
});

/**
 * Rows that the next run would remove under this retention.
 * @throws AppError not_found
 */
export const previewPruning = operation({
  permission: "audit:read",
  input: previewInput,
  output: preview,
  run(ctx, { id, retentionDays }) {
    return tenant(ctx.scope, async (tx) => {
      await requireOrganization(tx, ctx, id);
      const expired = await findExpired(tx, id, retentionDays);
      const cutoff = (expired?.cutoff ?? new Date(ctx.now().getTime() - retentionDays * DAY_MS)).toISOString();
      const heldBy = expired?.heldBy ? isoTimes(expired.heldBy) : null;
      const [alarm] = await readAlarms(tx, { kind: "organization", orgIds: [id], partnerId: "" });
      const kept = { orgId: id, retentionDays, cutoff, heldBy, alarmSince: alarm?.at ?? null };
      if (!expired || expired.lastSeq < expired.firstSeq || alarm)
        return { ...kept, rows: 0, firstSeq: null, lastSeq: null, from: null, to: null };
      const { firstSeq, lastSeq } = expired;
      const span = { from: await timeOf(tx, id, firstSeq), to: await timeOf(tx, id, lastSeq) };
      return { ...kept, rows: lastSeq - firstSeq + 1, firstSeq, lastSeq, ...isoTimes(span) };
    });
  },
});

type Change = { id: string; name: string; retentionDays: number };

/** Sets an organization's policy; the database function also writes its audit entry, in one transaction. */
async function change(tx: Tx, ctx: Ctx, { id, name, retentionDays }: Change): Promise<void> {
  const event = { action: "organization.audit_retention.update", ...resourceOf("organization", { id, name }) } as const;
  const entry = JSON.stringify(eventRow(ctx, event, id));
  await tx.execute(sql`SELECT audit_set_retention(${id}::uuid, ${retentionDays}::int, ${entry}::jsonb)`);
}

/**
 * Sets the retention of an organization's audit rows in days, applied by the daily run.
 * @throws AppError not_found, validation_failed for an archiveToS3 that differs from reality
 */
export const setPolicy = operation({
  permission: "audit:manage",
  input: setInput,
  output: policy,
  version: settingsOf,
  stepUp: () => true,
  run(ctx, { id, retentionDays, archiveToS3 }) {
    return tenant(ctx.scope, async (tx) => {
      const organization = await requireOrganization(tx, ctx, id);
      requireMatch(ctx, settingsOf(await showPolicy(tx, id)));
      await requireArchiving(tx, id, archiveToS3);
      await change(tx, ctx, { ...organization, retentionDays });
      return showPolicy(tx, id);
    });
  },
});

/**
 * Rows that the next run would remove from several organizations under this retention.
 * @throws AppError forbidden for an organization outside the caller's reach
 */
export const previewMany = operation({
  permission: "audit:read",
  input: manyInput,
  output: manyPreview,
  run(ctx, { orgId, retentionDays }) {
    return tenant(ctx.scope, async (tx) => {
      const organizations: { orgId: string; entries: number; to: string | null }[] = [];
      const alarmed: string[] = [];
      const hasAlarm = new Set((await readAlarms(tx, ctx.scope)).map((alarm) => alarm.orgId));
      for (const id of new Set(orgId)) {
        const expired = await findExpired(tx, id, retentionDays);
        const entries = expired ? expired.lastSeq - expired.firstSeq + 1 : 0;
        if (!expired || entries <= 0) continue;
        if (hasAlarm.has(id)) {
          alarmed.push(id);
          continue;
        }
        const to = await timeOf(tx, id, expired.lastSeq);
        organizations.push({ orgId: id, entries, to: to?.toISOString() ?? null });
      }
      const total = organizations.reduce((sum, { entries }) => sum + entries, 0);
      return { retentionDays, entries: total, organizations, alarmed };
    });
  },
});

/**
 * Sets the retention of several organizations, all or none; those that already have it are skipped.
 * @throws AppError forbidden for an organization outside the caller's reach
 */
export const setPolicies = operation({
  permission: "audit:manage",
  input: manyInput,
  output: manyChanged,
  stepUp: () => true,
  run(ctx, { orgId, retentionDays }) {
    const ids = [...new Set(orgId)];
    return tenant(ctx.scope, async (tx) => {
      const { orgId: of, retentionDays: days } = auditRetentionPolicies;
      const kept = await tx.select({ of, days }).from(auditRetentionPolicies).where(inArray(of, ids));
      const daysOf = new Map(kept.map((one) => [one.of, one.days]));
      const found = await tx
        .select({ id: organizations.id, name: organizations.name })
        .from(organizations)
        .where(inArray(organizations.id, ids))
        .orderBy(organizations.id);
      const others = found.filter(({ id }) => daysOf.get(id) !== retentionDays);
      // In a fixed order, to avoid deadlocks.
      for (const one of others) await change(tx, ctx, { ...one, retentionDays });
      return { organizations: ids.length, changed: others.length };
    });
  },
});
