import { inArray, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { organizations } from "@/db/schema";
import { actionLabel } from "@/server/audit/action-label";
import { categoryOf } from "@/server/audit/actions";
import type { FacetName, FilterName } from "@/server/audit/query/catalogue";
import { isTallied, type RowFilter } from "@/server/audit/query/conditions";
import { probeOf } from "@/server/audit/query/index-probe";
import { type ResolvedFilter, resolveFilter } from "@/server/audit/query/resolve";
import { ENTRY, type Key, keyRows, rowsAt, rowsByKey } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search-keys";
import { BY_KIND, talliedCounts } from "@/server/audit/query/search-tallies";
import { ZERO_UUID } from "@/server/context";
import { operation } from "@/server/operation";
import { FACET_NAMES, type Facets, facets, facetsInput, MAX_FACET_ROWS, MAX_FACET_VALUES } from "./facets-schema";
import { toFullEntry } from "./to-entry";

const TIME_MS = 400;

type Facet = Facets["action"];
type Kind = "action" | "actorType" | "actor" | "result" | "resourceType" | "organization";
/** sample is the key of a row that has the value, where one was read: organization, blank, sequence. */
type Count = { kind: Kind; value: string; count: number; sample: string };

async function countValues(tx: Tx, keys: readonly Key[]): Promise<Count[]> {
  return rowsOf<Count>(
    tx,
    sql`
    WITH found AS MATERIALIZED (
      SELECT a.action, a.actor_type, a.result, a.resource_type, a.org_id::text AS org, a.org_id || ' ' || a.chain_seq AS key,
        CASE WHEN a.actor_id = ${ZERO_UUID}::uuid THEN COALESCE(a.details ->> 'rawActorId', a.actor_type) ELSE a.actor_id::text END AS actor
      FROM ${rowsAt(keyRows(keys))})
    SELECT v.kind, v.value, count(*)::int AS count, min(f.key) AS sample
    FROM found f, LATERAL (VALUES ('action', f.action), ('actorType', f.actor_type), ('actor', f.actor), ('result', f.result),
      ('resourceType', f.resource_type), ('organization', f.org)) AS v(kind, value)
    GROUP BY 1, 2 ORDER BY 3 DESC, 2`,
  );
}

/** What the actors are called, by the rows that stand for them. */
async function namesOf(tx: Tx, actors: readonly Count[]): Promise<Map<string, string>> {
  const keys = actors.map(({ sample }) => ({ orgId: sample.slice(0, 36), seq: sample.slice(37) }));
  const rows = await rowsByKey(tx, keys, ENTRY);
  return new Map(rows.map((row) => [`${row.org_id} ${row.chain_seq}`, toFullEntry(row).user.name]));
}

async function organizationNames(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { id, name } = organizations;
  const found = await tx
    .select({ id, name })
    .from(organizations)
    .where(inArray(id, [...ids]));
  return new Map(found.map((org) => [org.id, org.name]));
}

const byNumber = (a: { value: string; count: number }, b: { value: string; count: number }): number =>
  b.count - a.count || (a.value < b.value ? -1 : 1);

function byCategory(actions: readonly Count[]): Facet {
  const counts = new Map<string, number>();
  for (const { value, count } of actions) counts.set(categoryOf(value), (counts.get(categoryOf(value)) ?? 0) + count);
  return [...counts].map(([value, count]) => ({ value, label: value, count })).sort(byNumber);
}

/** The filters that a facet sets: its own counts leave them aside, so that the other values can be added. */
const SETS: Record<FacetName, readonly Exclude<FilterName, "q">[]> = {
  category: ["category"],
  action: ["actions"],
  actorType: ["actorType"],
  actor: ["actorId", "rawActorId"],
  result: ["result"],
  resourceType: ["resourceType"],
  organization: [],
};
/** What the tallies count too. */
const TALLIED: readonly FacetName[] = ["category", "action", "actorType", "result"];
const KIND: Record<FacetName, Kind> = {
  category: "action",
  action: "action",
  actorType: "actorType",
  actor: "actor",
  result: "result",
  resourceType: "resourceType",
  organization: "organization",
};

type TalliedRow = { action: string; actor_type: string; result: string; n: number };

/** Every match by action, actor type and result; null where the filter has conditions that the tallies do not know. */
async function countTallied(tx: Tx, { orgIds, filter }: ResolvedFilter): Promise<Count[] | null> {
  if (orgIds.length === 0 || !isTallied(filter)) return null;
  const counts = talliedCounts(orgIds, filter, BY_KIND);
  if (!counts) return null;
  const rows = await rowsOf<TalliedRow>(
    tx,
    sql`SELECT c.action, c.actor_type, c.result, sum(c.n)::float8 AS n FROM (${counts}) AS c(action, actor_type, result, n) GROUP BY 1, 2, 3`,
  );
  const sums = (kind: Kind, read: (row: TalliedRow) => string): Count[] => {
    const found = new Map<string, number>();
    for (const row of rows) found.set(read(row), (found.get(read(row)) ?? 0) + row.n);
    return [...found].map(([value, count]) => ({ kind, value, count, sample: "" })).sort(byNumber);
  };
  return [
    ...sums("action", (row) => row.action),
    ...sums("actorType", (row) => row.actor_type),
    ...sums("result", (row) => row.result),
  ];
}

/** The counts of some newest matches; cut when there are older ones. */
type Newest = { counts: Count[]; rows: number; cut: boolean };

async function countNewest(tx: Tx, resolved: ResolvedFilter): Promise<Newest> {
  const deadline = performance.now() + TIME_MS;
  const { keys, cut } = await findKeys(tx, resolved, { need: MAX_FACET_ROWS + 1, deadline });
  const counted = keys.slice(0, MAX_FACET_ROWS);
  return { counts: await countValues(tx, counted), rows: counted.length, cut: cut || keys.length > counted.length };
}

type Found = { counts: Count[]; isExact: boolean };

/** The counts of one facet: of every match by the tallies where they can tell, else of the newest. */
async function countFacet(tx: Tx, facet: FacetName, asked: Asked): Promise<Found> {
  const own = SETS[facet].filter((name) => asked.base.filter[name]?.length);
  const filter: RowFilter = { ...asked.base.filter, ...Object.fromEntries(own.map((name) => [name, undefined])) };
  const resolved =
    own.length === 0
      ? asked.base
      : { orgIds: asked.base.orgIds, filter, probe: await probeOf(tx, asked.base.orgIds, filter) };
  const tallied = TALLIED.includes(facet)
    ? await (own.length === 0 ? asked.tallied : countTallied(tx, resolved))
    : null;
  const { counts, cut } = tallied
    ? { counts: tallied, cut: false }
    : own.length === 0
      ? asked.newest
      : await countNewest(tx, resolved);
  return { counts: counts.filter((count) => count.kind === KIND[facet]), isExact: !cut };
}

/** What is asked, and its counts without regard to any facet's own filter. */
type Asked = { base: ResolvedFilter; newest: Newest; tallied: Count[] | null };

/**
 * How the matches of a filter are spread over categories, actions, actors …: what the viewer offers to narrow by. A facet
 * that narrows already keeps its other values. By action, actor type and result every match is counted where the filter
 * allows it, else the newest MAX_FACET_ROWS, in bounded time; `exact` says which.
 */
export const getFacets = operation({
  permission: "audit:read",
  input: facetsInput,
  output: facets,
  async run(ctx, filter) {
    return tenant(ctx.scope, async (tx) => {
      const base = await resolveFilter(tx, ctx, filter);
      const asked = { base, newest: await countNewest(tx, base), tallied: await countTallied(tx, base) };
      const found = new Map<FacetName, Found>();
      for (const name of FACET_NAMES) found.set(name, await countFacet(tx, name, asked));
      const top = (name: FacetName) => (found.get(name)?.counts ?? []).slice(0, MAX_FACET_VALUES);
      const actors = await namesOf(tx, top("actor"));
      const orgs = await organizationNames(
        tx,
        top("organization").map((count) => count.value),
      ); // prettier-ignore
      const facet = (name: FacetName, label: (count: Count) => string | undefined): Facet =>
        top(name).map((count) => ({ value: count.value, label: label(count) ?? count.value, count: count.count }));
      return {
        category: byCategory(found.get("category")?.counts ?? []),
        action: facet("action", ({ value }) => actionLabel(value)),
        actorType: facet("actorType", ({ value }) => value),
        actor: facet("actor", ({ sample }) => actors.get(sample)),
        result: facet("result", ({ value }) => value),
        resourceType: facet("resourceType", ({ value }) => value),
        organization: facet("organization", ({ value }) => orgs.get(value)),
        rows: asked.newest.rows,
        truncated: asked.newest.cut,
        exact: FACET_NAMES.filter((name) => found.get(name)?.isExact),
      };
    });
  },
});
