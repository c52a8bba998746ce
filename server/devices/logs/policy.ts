import { eq, getTableName, type SQL, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { agentLogs, deviceEventLogs, deviceLogPolicies } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { operation } from "@/server/ground/operation";
import { DAY_MS } from "@/server/ground/time/durations";
import { requireMatch } from "@/server/ground/version";
import { onlyIdInput } from "@/server/ground/wire";
import { requireOrganization } from "@/server/retention/organization";
import {
  type DeviceLogPolicy,
  deviceLogPolicy,
  deviceLogPreview,
  type Expired,
  MAX_COUNTED_ROWS,
  previewInput,
  type Storage,
  setInput,
} from "./policy-schema";

/** The two kinds of device logs, with the table of each. */
export const TABLES = { diagnostic: agentLogs, events: deviceEventLogs } as const;
type Table = (typeof TABLES)[keyof typeof TABLES];

/** A row with its indexes, where the table has no statistics yet. */
const USUAL_ROW_BYTES = 600;

/** How many rows there are, counted along the index up to the limit. */
async function countUpTo(tx: Tx, table: Table, where: SQL): Promise<number> {
  const [row] = await rowsOf<{ n: number }>(
    tx,
    sql`SELECT count(*)::int AS n FROM (SELECT FROM ${table} WHERE ${where} LIMIT ${MAX_COUNTED_ROWS + 1}) counted`,
  );
  return row?.n ?? 0;
}

/** The share of an organization in a table, from the planner's statistics. */
async function estimate(tx: Tx, table: Table, orgId: string): Promise<number> {
  const [row] = await rowsOf<{ "QUERY PLAN": { Plan: { "Plan Rows": number } }[] }>(
    tx,
    sql`EXPLAIN (FORMAT JSON) SELECT FROM ${table} WHERE org_id = ${sql.raw(`'${orgId}'`)}::uuid`,
  );
  return Math.max(MAX_COUNTED_ROWS + 1, row?.["QUERY PLAN"][0]?.Plan["Plan Rows"] ?? 0);
}

/** What an organization keeps in a table. The id has been checked to be one. */
async function measure(tx: Tx, table: Table, orgId: string): Promise<Storage> {
  const counted = await countUpTo(tx, table, sql`org_id = ${orgId}`);
  const isEstimated = counted > MAX_COUNTED_ROWS;
  const rows = isEstimated ? await estimate(tx, table, orgId) : counted;
  const [row] = await rowsOf<{ row_bytes: number | null; oldest: string | null }>(
    tx,
    sql`SELECT (SELECT pg_total_relation_size(c.oid) / NULLIF(greatest(c.reltuples, 0), 0) FROM pg_class c
        WHERE c.oid = ${getTableName(table)}::regclass) AS row_bytes,
      (SELECT audit_ms("timestamp"::timestamptz(3)) FROM ${table}
        WHERE org_id = ${orgId} ORDER BY "timestamp" LIMIT 1) AS oldest`,
  );
  return {
    rows,
    isEstimated,
    bytes: Math.round(rows * (row?.row_bytes ?? USUAL_ROW_BYTES)),
    oldestAt: row?.oldest ? new Date(Number(row.oldest)).toISOString() : null,
  };
}

/** Since when a log is kept that is kept for so many days. */
export const cutoffOf = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

/** What an organization's run removes: none that came within the last day, for what an agent delivers late is seen. */
export const isExpired = ({ orgId, cutoff }: { orgId: string; cutoff: Date }): SQL =>
  sql`org_id = ${orgId} AND "timestamp" < ${cutoff.toISOString()}::timestamptz AND created_at < now() - interval '1 day'`;

/** What it removes besides: by a clock that was wrong these are still to come, so they count as of when they came. */
export const isAheadAndExpired = ({ orgId, cutoff }: { orgId: string; cutoff: Date }): SQL =>
  sql`org_id = ${orgId} AND "timestamp" > now() + interval '1 day' AND created_at < ${cutoff.toISOString()}::timestamptz`;

/** Expired rows of a table, counted up to the limit. */
export async function countExpired(tx: Tx, table: Table, target: { orgId: string; cutoff: Date }): Promise<Expired> {
  const rows =
    (await countUpTo(tx, table, isExpired(target))) + (await countUpTo(tx, table, isAheadAndExpired(target)));
  return {
    cutoff: target.cutoff.toISOString(),
    rows: Math.min(rows, MAX_COUNTED_ROWS),
    isAtLeast: rows > MAX_COUNTED_ROWS,
  };
}

/** The policy of an organization's device logs and what they take; without a row nothing is ever removed. */
async function readDeviceLogPolicy(tx: Tx, orgId: string): Promise<DeviceLogPolicy> {
  const [row] = await tx.select().from(deviceLogPolicies).where(eq(deviceLogPolicies.orgId, orgId));
  return {
    orgId,
    configured: row !== undefined,
    diagnosticDays: row?.diagnosticDays ?? null,
    eventDays: row?.eventDays ?? null,
    pruneFrom: row?.pruneFrom.toISOString() ?? null,
    lastCleanupAt: row?.lastCleanupAt?.toISOString() ?? null,
    updatedAt: row?.updatedAt.toISOString() ?? null,
    storage: {
      diagnostic: await measure(tx, TABLES.diagnostic, orgId),
      events: await measure(tx, TABLES.events, orgId),
    },
  };
}

/** The settings of a policy that people make; the rest is measured. */
const settingsOf = ({ orgId, diagnosticDays, eventDays, updatedAt }: DeviceLogPolicy) => ({
  ...{ orgId, diagnosticDays, eventDays, updatedAt },
});

/**
 * How long diagnostic logs and device events of an organization are kept, and how much there is of them.
 * @throws AppError not_found
 */
export const getDeviceLogPolicy = operation({
  permission: "audit:read",
  input: onlyIdInput,
  output: deviceLogPolicy,
  version: settingsOf,
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      await requireOrganization(tx, ctx, id);
      return readDeviceLogPolicy(tx, id);
    });
  },
});

/**
 * Saves how long device logs are kept. A saved policy is a choice: an organization's notice ends with it.
 * @throws AppError not_found
 */
export const setDeviceLogPolicy = operation({
  permission: "audit:manage",
  input: setInput,
  output: deviceLogPolicy,
  version: settingsOf,
  stepUp: () => true,
  async run(ctx, { id: orgId, diagnosticDays, eventDays }) {
    const now = ctx.now();
    const { organization, before, after } = await tenant(ctx.scope, async (tx) => {
      const found = await requireOrganization(tx, ctx, orgId);
      const old = await readDeviceLogPolicy(tx, orgId);
      requireMatch(ctx, settingsOf(old));
      const values = { diagnosticDays, eventDays, pruneFrom: now, updatedAt: now };
      await tx
        .insert(deviceLogPolicies)
        .values({ orgId, ...values })
        .onConflictDoUpdate({ target: deviceLogPolicies.orgId, set: values });
      return { organization: found, before: old, after: await readDeviceLogPolicy(tx, orgId) };
    });
    const kept = (policy: typeof before) => ({ diagnosticDays: policy.diagnosticDays, eventDays: policy.eventDays });
    record(ctx, {
      action: "organization.device_log_retention.update",
      orgId,
      ...resourceOf("organization", { id: orgId, name: organization.name }),
      details: { before: kept(before), after: kept(after) },
    });
    return after;
  },
});

/**
 * What the next run would remove of an organization's device logs if they were kept for so many days.
 * @throws AppError not_found
 */
export const previewDeviceLogs = operation({
  permission: "audit:read",
  input: previewInput,
  output: deviceLogPreview,
  run(ctx, { id: orgId, diagnosticDays, eventDays }) {
    return tenant(ctx.scope, async (tx) => {
      await requireOrganization(tx, ctx, orgId);
      const now = ctx.now();
      return {
        orgId,
        diagnostic: await countExpired(tx, TABLES.diagnostic, { orgId, cutoff: cutoffOf(now, diagnosticDays) }),
        events: await countExpired(tx, TABLES.events, { orgId, cutoff: cutoffOf(now, eventDays) }),
      };
    });
  },
});
