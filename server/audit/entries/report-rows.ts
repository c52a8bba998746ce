import { type SQL, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { conditionsOf, type Question } from "@/server/audit/query/filters";
import { type EntryRow, type Key, newestPlaces, placesOf, rowsOf } from "@/server/audit/query/row-query";
import { findKeys } from "@/server/audit/query/search-keys";
import type { ActorType } from "@/server/audit/vocabulary";
import type { Ctx } from "@/server/context";
import { ask } from "./list";

/** What a report needs of a row: a tenth of its bytes. raw_id is set where the actor's own id is no UUID. */
export type ReportRow = {
  org_id: string;
  chain_seq: string;
  ms: number;
  actor_type: ActorType;
  actor_id: string;
  actor_email: string | null;
  raw_id: string | null;
  action: string;
};

const COLUMNS = sql.raw(
  `a.org_id, a.chain_seq, a."timestamp", (extract(epoch FROM a."timestamp") * 1000)::float8 AS ms, a.actor_type, a.actor_id,
   a.actor_email, a.action, CASE WHEN a.actor_id = '00000000-0000-0000-0000-000000000000' THEN a.details ->> 'rawActorId' END AS raw_id`,
);

const atPlaces = (places: SQL): SQL => sql`SELECT ${COLUMNS} FROM (${places}) AS place(org_id, chain_seq, at),
  LATERAL (SELECT * FROM audit_logs l WHERE l.org_id = place.org_id AND l.chain_seq = place.chain_seq OFFSET 0) a
  ORDER BY a."timestamp" DESC, a.chain_seq DESC, a.org_id DESC`;

/** The query of the newest rows that meet a question, by the same conditions and indexes as the lists. */
async function queryOf(tx: Tx, ctx: Ctx, question: Question, max: number): Promise<SQL | null> {
  const asked = await ask(tx, ctx, question);
  if (asked.orgIds.length === 0) return null;
  if (asked.needle) {
    const { keys } = await findKeys(tx, asked, { after: undefined, need: max });
    return keys.length === 0 ? null : atPlaces(placesOf(keys.slice(0, max)));
  }
  const window = { conditions: conditionsOf(question), limit: max };
  return asked.orgIds.length === 1
    ? newestPlaces(asked.orgIds, window, COLUMNS)
    : atPlaces(newestPlaces(asked.orgIds, window));
}

/** The newest rows that a report is about, newest first, and the first few of them whole. */
export function readReportRows(
  ctx: Ctx,
  question: Question,
  { max, recent }: { max: number; recent: number },
): Promise<{ rows: ReportRow[]; recent: EntryRow[]; names: Map<string, ActorNames> }> {
  return tenant(ctx.scope, async (tx) => {
    const query = await queryOf(tx, ctx, question, max);
    const rows = query ? ((await tx.execute(query)) as unknown as ReportRow[]) : [];
    const first: Key[] = rows.slice(0, recent).map((row) => ({ orgId: row.org_id, seq: row.chain_seq }));
    return { rows, recent: await rowsOf(tx, first), names: await namesOf(tx, rows) };
  });
}

/** What is known of an actor besides its id. */
export type ActorNames = Pick<EntryRow, "user_name" | "user_email" | "key_name" | "hostname">;

/** Tells actors apart: one without a UUID is itself, not the zero UUID that all of them share. */
export const actorKey = ({
  actor_type,
  actor_id,
  raw_id,
}: Pick<ReportRow, "actor_type" | "actor_id" | "raw_id">): string => `${actor_type}:${raw_id ?? actor_id}`;

/** The names of the distinct actors of some rows, in one query. */
async function namesOf(tx: Tx, rows: readonly ReportRow[]): Promise<Map<string, ActorNames>> {
  const distinct = [...new Map(rows.map((row) => [actorKey(row), row])).values()];
  if (distinct.length === 0) return new Map();
  const found = (await tx.execute(sql`
    SELECT p.actor_type, p.actor_id, p.raw_id, u.name AS user_name, u.email AS user_email, k.name AS key_name, d.hostname
    FROM unnest(${sql.param(distinct.map((r) => r.actor_type))}::text[], ${sql.param(distinct.map((r) => r.actor_id))}::uuid[],
      ${sql.param(distinct.map((r) => r.raw_id))}::text[]) AS p(actor_type, actor_id, raw_id)
    LEFT JOIN users u ON p.actor_type = 'user' AND u.id = p.actor_id
    LEFT JOIN api_keys k ON p.actor_type = 'api_key' AND k.id = p.actor_id
    LEFT JOIN agents g ON p.actor_type = 'agent' AND g.id = COALESCE(p.raw_id, p.actor_id::text)
    LEFT JOIN devices d ON d.id = g.device_id`)) as unknown as (Pick<ReportRow, "actor_type" | "actor_id" | "raw_id"> &
    ActorNames)[];
  return new Map(found.map((row) => [actorKey(row), row]));
}
