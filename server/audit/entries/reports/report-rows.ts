import { type SQL, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { tenantRead } from "@/db/read";
import { rowsOf } from "@/db/rows";
import { type AuditFilter, conditionsOf } from "@/server/audit/query/conditions";
import { type Plan, planFor } from "@/server/audit/query/plan";
import { ENTRY, type EntryRow, type Key, keyRows, newestKeys, rowsByKey } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import type { ActorType } from "@/server/audit/vocabulary";
import type { Ctx } from "@/server/ground/context";
import { RECENT_ENTRIES } from "./report-schema";

/** Columns of a report, a tenth of a row's bytes. raw_id is set if the actor's own id is not a UUID. */
export type ReportRow = {
  org_id: string;
  chain_seq: string;
  ms: number;
  actor_type: ActorType;
  actor_id: string;
  actor_email: string | null;
  raw_id: string | null;
  action: string;
  submitted: boolean;
};

const COLUMNS = sql.raw(
  `a.org_id, a.chain_seq, a."timestamp", (extract(epoch FROM a."timestamp") * 1000)::float8 AS ms, a.actor_type, a.actor_id,
   a.actor_email, a.action, COALESCE(a.details ? 'submittedBy', false) AS submitted, CASE WHEN a.actor_id = '00000000-0000-0000-0000-000000000000' THEN a.details ->> 'rawActorId' END AS raw_id`,
);

const ofKeys = (keys: SQL): SQL => sql`SELECT ${COLUMNS} FROM ${layout().rowsAt(keys)}
  ORDER BY a."timestamp" DESC, a.chain_seq DESC, a.org_id DESC`;

/** Query for the newest matches, with the conditions and indexes of the lists. */
async function queryOf(tx: Tx, plan: Plan, max: number): Promise<SQL | null> {
  if (plan.orgIds.length === 0) return null;
  if (plan.all.kind === "keys") {
    const { keys } = await findKeys(tx, plan, { after: undefined, need: max });
    return keys.length === 0 ? null : ofKeys(keyRows(keys.slice(0, max)));
  }
  const window = { conditions: conditionsOf(plan.filter), limit: max };
  return plan.orgIds.length === 1 ? newestKeys(plan.orgIds, window, COLUMNS) : ofKeys(newestKeys(plan.orgIds, window));
}

/** Newest rows of a report, at most `max`; the first RECENT_ENTRIES of them also in full. */
export function readReportRows(
  ctx: Ctx,
  filter: AuditFilter,
  max: number,
): Promise<{ rows: ReportRow[]; recent: EntryRow[]; names: Map<string, ActorNames> }> {
  return tenantRead(ctx.scope, async (tx) => {
    const query = await queryOf(tx, await planFor(tx, ctx, filter), max);
    const rows = query ? await rowsOf<ReportRow>(tx, query) : [];
    const first: Key[] = rows.slice(0, RECENT_ENTRIES).map((row) => ({ orgId: row.org_id, seq: row.chain_seq }));
    return { rows, recent: await rowsByKey(tx, first, ENTRY), names: await namesOf(tx, rows) };
  });
}

/** Facts of an actor besides its id. */
export type ActorNames = Pick<EntryRow, "user_name" | "user_email" | "key_name" | "hostname">;

type Actor = Pick<ReportRow, "actor_type" | "actor_id" | "raw_id">;
type ActorRow = Actor & ActorNames;

/** Key of an actor: without a UUID its own id, because all of those share the zero UUID. */
export const actorKey = ({ actor_type, actor_id, raw_id }: Actor): string => `${actor_type}:${raw_id ?? actor_id}`;

/** Value by which to find an agent, because row-level security keeps functions out of index conditions. */
const agentIdOf = ({ actor_type, actor_id, raw_id }: Actor): string | null =>
  actor_type === "agent" ? (raw_id ?? actor_id) : null;

/** Names of the distinct actors of some rows, in one query. */
export async function namesOf(tx: Tx, rows: readonly Actor[]): Promise<Map<string, ActorNames>> {
  const distinct = [...new Map(rows.map((row) => [actorKey(row), row])).values()];
  if (distinct.length === 0) return new Map();
  const found = await rowsOf<ActorRow>(
    tx,
    sql`
    SELECT p.actor_type, p.actor_id, p.raw_id, u.name AS user_name, u.email AS user_email, k.name AS key_name, d.hostname
    FROM unnest(${sql.param(distinct.map((r) => r.actor_type))}::text[], ${sql.param(distinct.map((r) => r.actor_id))}::uuid[],
      ${sql.param(distinct.map((r) => r.raw_id))}::text[], ${sql.param(distinct.map(agentIdOf))}::text[])
      AS p(actor_type, actor_id, raw_id, agent_id)
    LEFT JOIN users u ON p.actor_type = 'user' AND u.id = p.actor_id
    LEFT JOIN api_keys k ON p.actor_type = 'api_key' AND k.id = p.actor_id
    LEFT JOIN agents g ON g.actor_id = p.agent_id
    LEFT JOIN devices d ON d.id = g.device_id`,
  );
  return new Map(found.map((row) => [actorKey(row), row]));
}
