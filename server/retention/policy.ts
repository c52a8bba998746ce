import { inArray, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { type Tx, tenant } from "@/db/client";
import { auditRetentionPolicies, organizations } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { readAlarms } from "@/server/evidence/integrity/alarm";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { DAY_MS } from "@/server/ground/time/durations";
import { onlyIdInput } from "@/server/ground/wire";
import { findExpired, timeOf } from "./expired";
import { readPolicy, requireOrganization, toPolicy } from "./organization";
import { isPruningEnabled, nextRunAt } from "./schedule";
import { manyChanged, manyInput, manyPreview, policy, policyStatus, preview, previewInput, setInput } from "./schema";

/**
 * The retention policy of an organization.
 * @throws AppError not_found
 */
export const getPolicy = operation({
  permission: "audit:read",
  input: onlyIdInput,
  output: policy,
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      await requireOrganization(tx, ctx, id);
      return toPolicy(id, await readPolicy(tx, id));
    });
  },
});

/**
 * The policy and whether and when it will be applied.
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
 * What the next run would remove if so many days were kept.
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
      const heldBy = expired?.heldBy
        ? {
            seq: expired.heldBy.seq,
            timestamp: expired.heldBy.timestamp.toISOString(),
            until: expired.heldBy.until.toISOString(),
          }
        : null;
      const [alarm] = await readAlarms(tx, { kind: "organization", orgIds: [id], partnerId: "" });
      const alarmSince = alarm?.at ?? null;
      const nothing = { rows: 0, firstSeq: null, lastSeq: null, from: null, to: null };
      if (!expired || expired.lastSeq < expired.firstSeq || alarm)
        return { orgId: id, retentionDays, cutoff, ...nothing, heldBy, alarmSince };
      const { firstSeq, lastSeq } = expired;
      const from = await timeOf(tx, id, firstSeq);
      const to = await timeOf(tx, id, lastSeq);
      return {
        orgId: id,
        retentionDays,
        cutoff,
        rows: lastSeq - firstSeq + 1,
        firstSeq,
        lastSeq,
        from: from?.toISOString() ?? null,
        to: to?.toISOString() ?? null,
        heldBy,
        alarmSince,
      };
    });
  },
});

/**
 * Saves how many days an organization's audit rows are kept; from then on the daily run prunes it.
 * @throws AppError not_found
 */
export const setPolicy = operation({
  permission: "audit:manage",
  input: setInput,
  output: policy,
  stepUp: () => true,
  async run(ctx, { id, retentionDays }) {
    const now = ctx.now();
    const { organization, before, after } = await tenant(ctx.scope, async (tx) => {
      const found = await requireOrganization(tx, ctx, id);
      const old = await readPolicy(tx, id, true);
      const [row] = await tx
        .insert(auditRetentionPolicies)
        .values({ orgId: id, retentionDays, createdAt: now, updatedAt: now })
        .onConflictDoUpdate({ target: auditRetentionPolicies.orgId, set: { retentionDays, updatedAt: now } })
        .returning();
      return { organization: found, before: old, after: row };
    });
    record(ctx, {
      action: "organization.audit_retention.update",
      orgId: id,
      ...resourceOf("organization", { id, name: organization.name }),
      details: {
        before: { configured: before !== undefined, retentionDays: before?.retentionDays ?? null },
        after: { configured: true, retentionDays },
      },
    });
    return toPolicy(id, after);
  },
});

/**
 * What the next run would remove of several organizations if so many days were kept: each is looked at as for itself.
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

type Change = { id: string; name: string; before: number | null };

/** The organizations whose days differ, locked until the transaction ends. */
async function changesOf(tx: Tx, ids: string[], retentionDays: number): Promise<Change[]> {
  const { orgId, retentionDays: days } = auditRetentionPolicies;
  const named = await tx
    .select({ id: organizations.id, name: organizations.name })
    .from(organizations)
    .where(inArray(organizations.id, ids));
  const before = new Map<string, number>();
  for (const some of layout().lockable(ids))
    for (const kept of await tx
      .select({ orgId, days })
      .from(auditRetentionPolicies)
      .where(inArray(orgId, some))
      .orderBy(orgId)
      .for("update"))
      before.set(kept.orgId, kept.days);
  return named
    .map(({ id, name }) => ({ id, name, before: before.get(id) ?? null }))
    .filter((change) => change.before !== retentionDays);
}

/** Each change is an entry in its organization's log, as if it had been made there. */
function recordChange(ctx: Ctx, { id, name, before }: Change, retentionDays: number): void {
  record(ctx, {
    action: "organization.audit_retention.update",
    orgId: id,
    ...resourceOf("organization", { id, name }),
    details: {
      before: { configured: before !== null, retentionDays: before },
      after: { configured: true, retentionDays },
    },
  });
}

/**
 * Saves how many days the entries of several organizations are kept, of all or of none; those that keep so many already
 * are left alone.
 * @throws AppError forbidden for an organization outside the caller's reach
 */
export const setPolicies = operation({
  permission: "audit:manage",
  input: manyInput,
  output: manyChanged,
  stepUp: () => true,
  async run(ctx, { orgId, retentionDays }) {
    const ids = [...new Set(orgId)];
    const now = ctx.now();
    const changes = await tenant(ctx.scope, async (tx) => {
      const found = await changesOf(tx, ids, retentionDays);
      const values = found.map(({ id }) => ({ orgId: id, retentionDays, createdAt: now, updatedAt: now }));
      if (values.length > 0)
        await tx
          .insert(auditRetentionPolicies)
          .values(values)
          .onConflictDoUpdate({
            target: auditRetentionPolicies.orgId,
            set: { retentionDays: sql`excluded.retention_days`, updatedAt: sql`excluded.updated_at` },
          });
      return found;
    });
    for (const change of changes) recordChange(ctx, change, retentionDays);
    return { organizations: ids.length, changed: changes.length };
  },
});
