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

/** The two kinds of device logs, with their tables. */
export const TABLES = { diagnostic: agentLogs, events: deviceEventLogs } as const;
type Table = (typeof TABLES)[keyof typeof TABLES];

/** Size of a row with its indexes, for tables without statistics. */
const USUAL_ROW_BYTES = 600;

/** Counts rows along the index, up to the limit. */
async function countUpTo(tx: Tx, table: Table, where: SQL): Promise<number> {
  const [row] = await rowsOf<{ n: number }>(
    tx,
    sql`SELECT count(*)::int AS n FROM (SELECT FROM ${table} WHERE ${where} LIMIT ${MAX_COUNTED_ROWS + 1}) counted`,
  );
  return row?.n ?? 0;
}

/** Share of an organization in a table, from the planner's statistics. */
async function estimate(tx: Tx, table: Table, orgId: string): Promise<number> {
  const [row] = await rowsOf<{ "QUERY PLAN": { Plan: { "Plan Rows": number } }[] }>(
    tx,
    sql`EXPLAIN (FORMAT JSON) SELECT FROM ${table} WHERE org_id = ${sql.raw(`'${orgId}'`)}::uuid`,
  );
  return Math.max(MAX_COUNTED_ROWS + 1, row?.["QUERY PLAN"][0]?.Plan["Plan Rows"] ?? 0);
}

/** Measures an organization's rows in a table. The id must be validated. */
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

/** Start of a retention window of some days. */
export const cutoffOf = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

/** Rows that a run removes; excludes the last day's arrivals, so that late deliveries are seen. */
export const isExpired = ({ orgId, cutoff }: { orgId: string; cutoff: Date }): SQL =>
  sql`org_id = ${orgId} AND "timestamp" < ${cutoff.toISOString()}::timestamptz AND created_at < now() - interval '1 day'`;

/** Rows dated in the future by a wrong clock, which expire by their time of arrival. */
export const isAheadAndExpired = ({ orgId, cutoff }: { orgId: string; cutoff: Date }): SQL =>
  sql`org_id = ${orgId} AND "timestamp" > now() + interval '1 day' AND created_at < ${cutoff.toISOString()}::timestamptz`;

/** Counts expired rows of a table, up to the limit. */
export async function countExpired(tx: Tx, table: Table, target: { orgId: string; cutoff: Date }): Promise<Expired> {
  const rows =
    (await countUpTo(tx, table, isExpired(target))) + (await countUpTo(tx, table, isAheadAndExpired(target)));
  return {
    cutoff: target.cutoff.toISOString(),
    rows: Math.min(rows, MAX_COUNTED_ROWS),
    isAtLeast: rows > MAX_COUNTED_ROWS,
  };
}

/** Policy and size of an organization's device logs; without a row nothing is ever removed. */
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

/** Settings of a policy that people choose; the other members are measured. */
const settingsOf = ({ orgId, diagnosticDays, eventDays, updatedAt }: DeviceLogPolicy) => ({
  ...{ orgId, diagnosticDays, eventDays, updatedAt },
});

/**
 * Retention of an organization's diagnostic logs and device events, and their size.
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
 * Sets the retention of device logs. Saving a policy ends the organization's notice period.
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
 * Device logs that the next run would remove under this retention.
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
