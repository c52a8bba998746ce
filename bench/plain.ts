import type postgres from "postgres";
import type { AuditInsert } from "@/server/audit/row";
import { eventMaker } from "./events";
import { msOf, percentile } from "./harness";
import type { World } from "./world";

/**
 * audit_logs without its chain: a table with the same columns, checks, indexes, storage parameters, row-level security
 * and grants, but no trigger, to measure the cost of the chain.
 */
export async function createPlain({ owner }: World): Promise<void> {
  await owner.unsafe(`
    CREATE TABLE IF NOT EXISTS audit_plain (LIKE audit_logs INCLUDING ALL);
    ALTER TABLE audit_plain SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
    ALTER TABLE audit_plain ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    GRANT SELECT, INSERT (id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name,
      details, ip_address, user_agent, result, error_message) ON audit_plain TO trailmark_app;
    DROP POLICY IF EXISTS audit_plain_tenant ON audit_plain;
    CREATE POLICY audit_plain_tenant ON audit_plain TO trailmark_app
      USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
        OR org_id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[]))`);
}

export type AuditTable = "audit_logs" | "audit_plain";
const COLUMNS = `id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name, details,
  ip_address, user_agent, result, error_message`;

/** One statement per batch, one array per column: the fastest plain INSERT. */
export async function insertBatch(sql: postgres.Sql, rows: readonly AuditInsert[]): Promise<void> {
  const column = (name: keyof AuditInsert) => rows.map((row) => row[name]);
  await sql`INSERT INTO audit_plain (${sql.unsafe(COLUMNS)})
    SELECT u.id, u.org_id, u.at, u.actor_type, u.actor_id, u.actor_email, u.action, u.resource_type, u.resource_id, u.resource_name,
      u.details::jsonb, u.ip_address, u.user_agent, u.result, u.error_message
    FROM unnest(${column("id")}::uuid[], ${column("orgId")}::uuid[], ${column("timestamp")}::text[]::timestamptz[],
      ${column("actorType")}::text[], ${column("actorId")}::uuid[], ${column("actorEmail")}::text[], ${column("action")}::text[],
      ${column("resourceType")}::text[], ${column("resourceId")}::uuid[], ${column("resourceName")}::text[],
      ${column("details")}::text[], ${column("ipAddress")}::text[], ${column("userAgent")}::text[], ${column("result")}::text[],
      ${column("errorMessage")}::text[])
      AS u(id, org_id, at, actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name, details, ip_address,
        user_agent, result, error_message)`;
}

/** One statement per row, like a program without batches. */
export async function insertOne(sql: postgres.ISql, table: AuditTable, r: AuditInsert): Promise<void> {
  const text = `INSERT INTO ${table} (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::text::jsonb, $12, $13, $14, $15)`;
  const values = [
    r.id,
    r.orgId,
    r.timestamp,
    r.actorType,
    r.actorId,
    r.actorEmail,
    r.action,
    r.resourceType,
    r.resourceId,
  ];
  const rest = [r.resourceName, r.details, r.ipAddress, r.userAgent, r.result, r.errorMessage];
  await sql.unsafe(text, [...values, ...rest], { prepare: true });
}

type Writing = { world: World; orgIds: readonly string[]; writers: number };

/** p99 (ms) of programs that write row after row while something is done, and how many rows were refused. */
export async function p99While({ world, orgIds, writers }: Writing, work: () => Promise<unknown>) {
  const pool = world.connect(writers);
  const next = eventMaker(world.random, orgIds);
  const latencies: number[] = [];
  let [isGoing, refused] = [true, 0];
  const write = () => insertOne(pool, "audit_logs", next()).catch(() => refused++);
  const loop = async () => {
    while (isGoing) latencies.push(await msOf(write));
  };
  const loops = Promise.all(Array.from({ length: writers }, loop));
  await work().finally(() => {
    isGoing = false;
  });
  await loops;
  await pool.end();
  return { p99: percentile(latencies, 0.99), refused };
}
