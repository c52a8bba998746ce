import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { oneOf, rowsOf } from "@/db/rows";
import { actorName } from "@/server/audit/entries/to-entry";
import { CONDITIONS } from "@/server/audit/query/conditions";
import { type EntryRow, joinNames } from "@/server/audit/query/rows";
import { BY_ACTION, BY_ACTOR, groupedRows, type Shape } from "@/server/audit/query/tallies";
import type { ActorType } from "@/server/audit/vocabulary";
import { type ByAction, byCount } from "./report-bodies";
import type { ActiveUser } from "./report-schema";

/** Counts of the entries of a report, by a shape of the tallies. */
export type Counts = (shape: Shape) => SQL;

const actionRows = (counts: Counts): SQL =>
  sql`SELECT c.action, sum(c.n)::float8 AS count FROM (${counts(BY_ACTION)}) AS c(action, n) GROUP BY 1`;

const toByAction = (rows: ByAction): ByAction => byCount(rows, ({ action }) => action);

export const actionsOf = async (tx: Tx, counts: Counts): Promise<ByAction> =>
  toByAction(await rowsOf(tx, actionRows(counts)));

type ActorRow = Pick<EntryRow, "actor_type" | "actor_id" | "actor_email" | "ms"> &
  Pick<EntryRow, "user_name" | "user_email" | "key_name" | "hostname"> & { raw_id: string | null; count: number };

/** Adds the actor type, which the API's reports lack: it tells apart actors without an id. */
export type TypedUser = ActiveUser & { actorType: ActorType };

const NAMES = joinNames("actor_id = p.agent_id");

const actorRows = (counts: Counts, max: number | null): SQL => sql`WITH actors AS MATERIALIZED (
    SELECT c.actor_type, c.actor_id, c.raw_id, max(c.email) AS actor_email, sum(c.n)::float8 AS count,
      (extract(epoch FROM max(c.last_at)) * 1000)::float8 AS ms,
      CASE WHEN c.actor_type = 'agent' THEN COALESCE(c.raw_id, c.actor_id::text) END AS agent_id
    FROM (${counts(BY_ACTOR)}) AS c(actor_type, actor_id, raw_id, email, last_at, n)
    GROUP BY 1, 2, 3 ORDER BY 5 DESC, 6 DESC LIMIT ${max})
  SELECT p.*, u.name AS user_name, u.email AS user_email, k.name AS key_name, d.hostname
  FROM actors p ${NAMES} ORDER BY p.count DESC, p.ms DESC`;

const toUsers = (rows: readonly ActorRow[]): TypedUser[] =>
  rows.map((row) => ({
    userId: row.raw_id ?? row.actor_id,
    actorType: row.actor_type,
    userName: actorName(row, { rawActorId: row.raw_id }),
    userEmail: row.actor_email ?? row.user_email ?? "",
    actionCount: row.count,
    lastActiveAt: new Date(row.ms).toISOString(),
  }));

/** Actors, most active first, at most `max`; for filters on time alone. */
export const usersOf = async (tx: Tx, counts: Counts, max: number | null = null): Promise<TypedUser[]> =>
  toUsers(await rowsOf(tx, actorRows(counts, max)));

/** Counts of the rows `a` of a source in one statement, which reads them once. */
export async function countsOf(tx: Tx, source: SQL) {
  const counts: Counts = (shape) => groupedRows(sql`read a`, shape);
  const list = (rows: SQL) => sql`(SELECT coalesce(jsonb_agg(r), '[]') FROM (${rows}) r)`;
  const found = await rowsOf<{ actions: ByAction; actors: ActorRow[]; submitted: number }>(
    tx,
    sql`WITH read AS MATERIALIZED (
        SELECT a.action, a.actor_type, a.actor_id, a.actor_email, a."timestamp", a.details FROM ${source})
      SELECT ${list(actionRows(counts))} AS actions, ${list(actorRows(counts, null))} AS actors,
        (SELECT count(*)::int FROM read a WHERE ${CONDITIONS.submitted(["true"])}) AS submitted`,
  );
  const { actions, actors, submitted } = oneOf(found);
  return { byAction: toByAction(actions), users: toUsers(actors), submitted };
}
