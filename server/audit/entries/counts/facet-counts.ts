import { type SQL, sql } from "drizzle-orm";
import { eachOf } from "@/db/citus/each-of";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { actorKey, namesOf } from "@/server/audit/entries/reports/report-rows";
import { actorsOf } from "@/server/audit/entries/reports/whole-reports";
import { actorName, toFullEntry } from "@/server/audit/entries/to-entry";
import { conditionsOf, isTallied, isTimed } from "@/server/audit/query/conditions";
import { countRows } from "@/server/audit/query/count";
import type { Plan } from "@/server/audit/query/plan";
import { allOf, ENTRY, keyRows, rowsAt, rowsByKey } from "@/server/audit/query/rows";
import { findKeys, searchTime } from "@/server/audit/query/search";
import { BY_KIND, BY_ORGANIZATION, talliedCounts } from "@/server/audit/query/tallies";
import { ZERO_UUID } from "@/server/ground/context";
import { MAX_EXACT_ROWS, MAX_FACET_ROWS, MAX_FACET_VALUES } from "./facets-schema";

export type Kind = "action" | "actorType" | "actor" | "result" | "resourceType" | "organization";
/** label is what people call the value, where the count knows it; sample a row that has the value: organization, blank, sequence. */
export type Count = { kind: Kind; value: string; count: number; label?: string; sample?: string };
/** Counts of several kinds, most frequent first, over so many rows; cut when there are older ones. */
export type Counted = { counts: Count[]; rows: number; cut: boolean };

const byNumber = (a: Count, b: Count): number => b.count - a.count || (a.value < b.value ? -1 : 1);

/** The values of rows `a` and how many have each. */
const countValues = (tx: Tx, rows: SQL): Promise<Count[]> =>
  rowsOf<Count>(
    tx,
    sql`
    WITH found AS MATERIALIZED (
      SELECT a.action, a.actor_type, a.result, a.resource_type, a.org_id::text AS org, a.org_id || ' ' || a.chain_seq AS key,
        CASE WHEN a.actor_id = ${ZERO_UUID}::uuid THEN COALESCE(a.details ->> 'rawActorId', a.actor_type) ELSE a.actor_id::text END AS actor
      FROM ${rows})
    SELECT v.kind, v.value, count(*)::int AS count, min(f.key) AS sample
    FROM found f, LATERAL (VALUES ('action', f.action), ('actorType', f.actor_type), ('actor', f.actor), ('result', f.result),
      ('resourceType', f.resource_type), ('organization', f.org)) AS v(kind, value)
    GROUP BY 1, 2 ORDER BY 3 DESC, 2`,
  );

/**
 * The values among the matches: among all of them where they are few enough to be read in time, else among the newest
 * MAX_FACET_ROWS.
 */
export async function countRead(tx: Tx, plan: Plan): Promise<Counted> {
  const deadline = performance.now() + searchTime.counts;
  const { keys, cut } = await findKeys(tx, plan, { need: MAX_FACET_ROWS + 1, deadline });
  const isAll = !cut && keys.length <= MAX_FACET_ROWS;
  if (!isAll && isTallied(plan.filter)) {
    const total = await countRows(tx, plan);
    const rows = sql`${eachOf(plan.orgIds)} JOIN audit_logs a ON a.org_id = o.id WHERE ${allOf(conditionsOf(plan.filter))}`;
    if (total <= MAX_EXACT_ROWS) return { counts: await countValues(tx, rows), rows: total, cut: false };
  }
  const newest = keys.slice(0, MAX_FACET_ROWS);
  return { counts: await countValues(tx, rowsAt(keyRows(newest))), rows: newest.length, cut: !isAll };
}

type TalliedRow = { action: string; actor_type: string; result: string; resource_type: string; n: number };

/** Every match by action, actor type, result and resource type; null where the filter has conditions that the tallies do not know. */
export async function countKinds(tx: Tx, { orgIds, filter }: Plan): Promise<Count[] | null> {
  const counts = orgIds.length > 0 && isTallied(filter) ? talliedCounts(orgIds, filter, { shape: BY_KIND }) : null;
  if (!counts) return null;
  const rows = await rowsOf<TalliedRow>(
    tx,
    sql`SELECT c.action, c.actor_type, c.result, c.resource_type, sum(c.n)::float8 AS n
      FROM (${counts}) AS c(action, actor_type, result, resource_type, n) GROUP BY 1, 2, 3, 4`,
  );
  const sums = (kind: Kind, read: (row: TalliedRow) => string): Count[] => {
    const found = new Map<string, number>();
    for (const row of rows) found.set(read(row), (found.get(read(row)) ?? 0) + row.n);
    return [...found].map(([value, count]) => ({ kind, value, count })).sort(byNumber);
  };
  return [
    ...sums("action", (row) => row.action),
    ...sums("actorType", (row) => row.actor_type),
    ...sums("result", (row) => row.result),
    ...sums("resourceType", (row) => row.resource_type),
  ];
}

/** Every match by organization; null in the same case. */
export async function countOrganizations(tx: Tx, { orgIds, filter }: Plan): Promise<Count[] | null> {
  const counts =
    orgIds.length > 0 && isTallied(filter) ? talliedCounts(orgIds, filter, { shape: BY_ORGANIZATION }) : null;
  if (!counts) return null;
  return rowsOf<Count>(
    tx,
    sql`SELECT 'organization' AS kind, c.org::text AS value, sum(c.n)::float8 AS count FROM (${counts}) AS c(org, n)
      GROUP BY 2 HAVING sum(c.n) > 0 ORDER BY 3 DESC, 2`,
  );
}

/** Every match by actor, one more than a facet shows where there are so many; null where more than time narrows them. */
export async function countActors(tx: Tx, { orgIds, filter }: Plan): Promise<Count[] | null> {
  if (!isTimed(filter)) return null;
  const actors = (await actorsOf(tx, orgIds, filter)).sort((a, b) => b.count - a.count).slice(0, MAX_FACET_VALUES + 1);
  const names = await namesOf(tx, actors);
  return actors
    .map((row): Count => {
      const named = names.get(actorKey(row)) ?? { user_name: null, user_email: null, key_name: null, hostname: null };
      const label = actorName({ ...row, ...named, actor_email: row.email }, { rawActorId: row.raw_id });
      const value = row.raw_id ?? (row.actor_id === ZERO_UUID ? row.actor_type : row.actor_id);
      return { kind: "actor", value, count: row.count, label };
    })
    .sort(byNumber);
}

/** The counts of actors with their names, which are read from one sample row of each. */
export async function nameActors(tx: Tx, actors: readonly Count[]): Promise<Count[]> {
  const samples = actors.flatMap(({ sample, label }) => (sample && label === undefined ? [sample] : []));
  const rows = await rowsByKey(
    tx,
    samples.map((sample) => ({ orgId: sample.slice(0, 36), seq: sample.slice(37) })),
    ENTRY,
  );
  const names = new Map(rows.map((row) => [`${row.org_id} ${row.chain_seq}`, toFullEntry(row).user.name]));
  return actors.map((one) => ({ ...one, label: one.label ?? names.get(one.sample ?? "") ?? one.value }));
}
