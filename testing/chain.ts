import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { expect, inject } from "vitest";
import { type AuditInsert, type ChainRow, COLUMNS, FIELDS } from "@/server/audit/row";
import { checksumOf } from "@/server/evidence/chain/chain-hash";
import { env } from "@/server/ground/env";

const connect = (url: string, max: number) => postgres(url, { max, idle_timeout: 5, onnotice: () => {} });

const connectRoles = () => ({
  app: connect(inject("databaseUrl"), 40),
  admin: connect(inject("adminDatabaseUrl"), 4),
  owner: connect(inject("ownerDatabaseUrl"), 2),
});

/** Connections of the three roles, for SQL tests of the chain. */
export const roles = connectRoles();

/** Closes them at the end of a file; the next one gets new ones. */
export function closeRoles() {
  const open = Object.values(roles);
  Object.assign(roles, connectRoles());
  return Promise.all(open.map((sql) => sql.end({ timeout: 5 })));
}

/** A transaction of the application role with sight of these organizations, or all. */
export function inTenant<T>(orgIds: readonly string[] | "system", fn: (tx: postgres.TransactionSql) => Promise<T>) {
  return roles.app.begin(async (tx) => {
    const [scope, list] = orgIds === "system" ? ["system", "{}"] : ["", `{${orgIds.join(",")}}`];
    await tx.unsafe(`SET LOCAL trailmark.scope = '${scope}'`);
    await tx.unsafe(`SET LOCAL trailmark.org_ids = '${list}'`);
    return fn(tx);
  });
}

/** Tampers as the database's owner, with triggers disabled, in one transaction. */
export const tamper = <T>(work: (tx: postgres.TransactionSql) => Promise<T>) =>
  roles.owner.begin(async (tx) => {
    if (env().TRAILMARK_CITUS) await tx`SET LOCAL citus.propagate_set_commands = 'local'`;
    await tx`SET LOCAL session_replication_role = replica`;
    return work(tx);
  });
export const tamperBy = (statement: string) => tamper((tx) => tx.unsafe(statement));

const DAY_MS = 86_400_000;
export const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

/** Backdates the sealing of an organization's entries; timestamps stay. */
export const sealedDaysAgo = (orgId: string, days: number) =>
  tamper((tx) => tx`UPDATE audit_logs SET sealed_at = ${daysAgo(days)} WHERE org_id = ${orgId}`);

/** A row to append, with the members relevant to the test. */
export const auditRow = (orgId: string, over: Partial<AuditInsert> = {}): AuditInsert => ({
  id: randomUUID(),
  orgId,
  timestamp: new Date().toISOString(),
  actorType: "user",
  actorId: randomUUID(),
  actorEmail: "someone@example.test",
  action: "device.update",
  resourceType: "device",
  resourceId: null,
  resourceName: "WS-1",
  details: '{"before": {"name": "a"}, "after": {"name": "b"}}',
  ipAddress: "203.0.113.7",
  userAgent: null,
  result: "success",
  errorMessage: null,
  ...over,
});

export const auditRows = (orgId: string, count: number, over: Partial<AuditInsert> = {}): AuditInsert[] =>
  Array.from({ length: count }, () => auditRow(orgId, over));

/** Plain INSERTs by a client unaware of the chain. @returns the ids */
export async function insertRaw(tx: postgres.ISql, orgId: string, count = 1): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    INSERT INTO audit_logs (org_id, actor_type, actor_id, action, resource_type, details, result)
    SELECT ${orgId}, 'system', ${orgId}, 'test.raw', 'test', jsonb_build_object('n', n), 'success'
    FROM generate_series(1, ${count}::int) n
    ON CONFLICT DO NOTHING
    RETURNING id`;
  return rows.map((row) => row.id);
}

export type StoredRow = ChainRow & { checksum: string | null; sealTx: string | null };

const STORED_COLUMNS = [
  ...FIELDS.filter((field) => field !== "timestamp").map((field) => {
    const { sql, type } = COLUMNS[field];
    return `${sql}${type === "jsonb" ? "::text" : ""} AS "${field}"`;
  }),
  'round(extract(epoch FROM "timestamp") * 1000)::bigint AS "timestampMs"',
  'chain_seq AS "chainSeq", checksum, prev_checksum AS "prevChecksum", seal_tx AS "sealTx"',
].join(", ");

/** Rows of an organization in chain order (the retention role sees all). */
export const chainOf = (orgId: string) =>
  roles.admin.unsafe<StoredRow[]>(
    `SELECT ${STORED_COLUMNS} FROM audit_logs WHERE org_id = $1 ORDER BY chain_seq NULLS FIRST`,
    [orgId],
  );

export async function headOf(orgId: string) {
  const [head] = await roles.admin<
    { seq: string; checksum: string; prunedThroughSeq: string; prunedThroughChecksum: string | null }[]
  >`SELECT seq, checksum, pruned_through_seq AS "prunedThroughSeq", pruned_through_checksum AS "prunedThroughChecksum"
    FROM audit_chain_heads WHERE org_id = ${orgId}`;
  return head;
}

/** Expects every row sealed, numbered without a gap after pruned ones, linked and hashed. @returns the rows */
export async function expectIntact(orgId: string, count: number): Promise<StoredRow[]> {
  const rows = await chainOf(orgId);
  const head = await headOf(orgId);
  let seq = BigInt(head?.prunedThroughSeq ?? 0);
  let prev = head?.prunedThroughChecksum ?? null;
  const faults: string[] = [];
  for (const row of rows) {
    seq += 1n;
    if (String(row.chainSeq) !== String(seq)) faults.push(`${row.id} has number ${row.chainSeq}, not ${seq}`);
    if (row.prevChecksum !== prev) faults.push(`${seq} does not link to its predecessor`);
    if (row.checksum !== checksumOf(row)) faults.push(`${seq} has the wrong checksum`);
    if (row.sealTx !== null) faults.push(`${seq} is still marked unsealed`);
    prev = row.checksum;
  }
  expect(faults.slice(0, 3)).toEqual([]);
  expect(rows.length).toBe(count);
  if (count > 0) expect(head).toMatchObject({ seq: String(seq), checksum: prev });
  return rows;
}
