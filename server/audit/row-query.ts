import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import type { Scope } from "../context";
import type { Place } from "./cursor";
import type { ActorType, AuditResult } from "./schema";

/** A stored row with the names that people know its actor by. */
export type EntryRow = {
  id: string;
  org_id: string;
  ms: number;
  actor_type: ActorType;
  actor_id: string;
  actor_email: string | null;
  action: string;
  resource_type: string;
  resource_id: string | null;
  resource_name: string | null;
  details: string | null;
  ip_address: string | null;
  user_agent: string | null;
  result: AuditResult;
  error_message: string | null;
  checksum: string;
  prev_checksum: string | null;
  chain_seq: string;
  user_name: string | null;
  user_email: string | null;
  user_role: string | null;
  user_department: string | null;
  key_name: string | null;
  hostname: string | null;
};

const COLUMNS = sql.raw(
  `a.id, a.org_id, (extract(epoch FROM a."timestamp") * 1000)::float8 AS ms, a."timestamp", a.actor_type, a.actor_id,
   a.actor_email, a.action, a.resource_type, a.resource_id, a.resource_name, a.details::text AS details, a.ip_address,
   a.user_agent, a.result, a.error_message, a.checksum, a.prev_checksum, a.chain_seq`,
);

const NAMES = sql.raw(
  `u.name AS user_name, u.email AS user_email, u.role AS user_role, u.department AS user_department,
   k.name AS key_name, d.hostname`,
);

const NAME_JOINS = sql.raw(
  `LEFT JOIN users u ON p.actor_type = 'user' AND u.id = p.actor_id
   LEFT JOIN api_keys k ON p.actor_type = 'api_key' AND k.id = p.actor_id
   LEFT JOIN agents g ON p.actor_type = 'agent' AND g.org_id = p.org_id
     AND g.id = COALESCE(p.details::jsonb ->> 'rawActorId', p.actor_id::text)
   LEFT JOIN devices d ON d.id = g.device_id`,
);

/** Joins conditions with AND; none is true. */
export const allOf = (conditions: SQL[]): SQL =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` AND `);

/** Rows older than a place in (timestamp, sequence, organization) order. */
function before({ ms, seq, orgId }: Place): SQL {
  const at = sql`${new Date(ms).toISOString()}::timestamptz`;
  return sql`(a."timestamp", a.chain_seq) <= (${at}, ${seq}::bigint) AND (a."timestamp", a.chain_seq, a.org_id) < (${at}, ${seq}::bigint, ${orgId}::uuid)`;
}

/** The organizations of a scope as a set of rows `o(id)`. */
export function organizationsOf(scope: Scope): SQL {
  return scope.kind === "system"
    ? sql`(SELECT id FROM organizations) AS o`
    : sql`unnest(${sql.param([...scope.orgIds])}::uuid[]) AS o(id)`;
}

export type RowWindow = { conditions: SQL[]; after?: Place | undefined; offset?: number; limit: number };

/**
 * The newest rows of a scope that meet the conditions. Over several organizations the newest of each are taken by its
 * own index and merged: ORDER BY over org_id = ANY(…) would read everything.
 */
export async function fetchRows(
  tx: Tx,
  scope: Scope,
  { conditions, after, offset = 0, limit }: RowWindow,
): Promise<EntryRow[]> {
  const where = allOf(after ? [...conditions, before(after)] : conditions);
  const single = scope.kind !== "system" && scope.orgIds.length === 1 ? scope.orgIds[0] : undefined;
  const window = single
    ? sql`SELECT ${COLUMNS} FROM audit_logs a WHERE a.org_id = ${single}::uuid AND ${where}
        ORDER BY a."timestamp" DESC, a.chain_seq DESC LIMIT ${limit} OFFSET ${offset}`
    : sql`SELECT n.* FROM ${organizationsOf(scope)}, LATERAL (
          SELECT ${COLUMNS} FROM audit_logs a WHERE a.org_id = o.id AND ${where}
          ORDER BY a."timestamp" DESC, a.chain_seq DESC LIMIT ${limit + offset}
        ) n ORDER BY n."timestamp" DESC, n.chain_seq DESC, n.org_id DESC LIMIT ${limit} OFFSET ${offset}`;
  const rows = await tx.execute(sql`
    SELECT p.*, ${NAMES} FROM (${window}) p ${NAME_JOINS}
    ORDER BY p."timestamp" DESC, p.chain_seq DESC, p.org_id DESC`);
  return rows as unknown as EntryRow[];
}
