import { inArray, type SQL, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { tenantRead } from "@/db/read";
import { rowsOf } from "@/db/rows";
import { organizations } from "@/db/schema/index";
import { actionLabel } from "@/server/audit/action-label";
import { byCategory, byCount } from "@/server/audit/entries/reports/report-bodies";
import { usersOf } from "@/server/audit/entries/reports/report-counts";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import { FACET_NAMES, type FacetName, type FilterName } from "@/server/audit/query/catalogue";
import { conditionsOf, isTallied, isTimed, type RowFilter } from "@/server/audit/query/conditions";
import { countRows } from "@/server/audit/query/count";
import { type Deadline, deadlineOf } from "@/server/audit/query/deadline";
import { type Plan, planFor, planRows } from "@/server/audit/query/plan";
import { ACTOR_ID, allOf, ENTRY, keyRows, rowsByKey } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import { BY_KIND, BY_ORGANIZATION, countsBy, type Shape, talliedCounts } from "@/server/audit/query/tallies";
import { countFirstSeen } from "@/server/audit/search/first-seen";
import { type Ctx, ZERO_UUID } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { fromKeys, mapValues } from "@/server/ground/records";
import { narrow } from "@/server/ground/scope";
import { type Facets, facets, facetsInput, MAX_EXACT_ROWS, MAX_FACET_ROWS, MAX_FACET_VALUES } from "./facets-schema";

type Kind = Exclude<FacetName, "category">;
/**
 * label: display name of the value, if the count knows it. sample: a row with the value (organization, blank,
 * sequence).
 */
export type Count = { kind: Kind; value: string; count: number; label?: string; sample?: string };
/** Counts of several kinds, most frequent first, over `rows` rows; cut if older rows were left out. */
type Counted = { counts: Count[]; rows: number; cut: boolean };

function countValues(tx: Tx, rows: SQL): Promise<Count[]> {
  const firstSeen = layout().isIndexed ? sql`UNION ALL SELECT 'firstSeen', c.* FROM (${countFirstSeen()}) c` : sql``;
  return rowsOf<Count>(
    tx,
    sql`
    WITH found AS MATERIALIZED (
      SELECT a.action, a.actor_type, a.result, a.resource_type, a.ip_address, a.org_id, a.chain_seq, a.org_id || ' ' || a.chain_seq AS key,
        COALESCE(${ACTOR_ID}, a.actor_type) AS actor
      FROM ${rows})
    SELECT v.kind, v.value, count(*)::int AS count, min(f.key) AS sample
    FROM found f, LATERAL (VALUES ('action', f.action), ('actorType', f.actor_type), ('actor', f.actor), ('address', f.ip_address), ('result', f.result),
      ('resourceType', f.resource_type), ('organization', f.org_id::text)) AS v(kind, value)
    WHERE v.value IS NOT NULL
    GROUP BY 1, 2 ${firstSeen} ORDER BY 3 DESC, 2`,
  );
}

/** Counts all matches if there are few enough to read in time, else the newest MAX_FACET_ROWS. */
async function countRead(tx: Tx, plan: Plan, deadline: Deadline): Promise<Counted> {
  const { keys, cut } = await findKeys(tx, plan, { need: MAX_FACET_ROWS + 1, deadline });
  const isAll = !cut && keys.length <= MAX_FACET_ROWS;
  if (!isAll && isTallied(plan.filter)) {
    const total = await countRows(tx, plan);
    const rows = sql`${layout().eachOf(plan.orgIds)} JOIN audit_logs a ON a.org_id = o.id WHERE ${allOf(conditionsOf(plan.filter))}`;
    if (total <= MAX_EXACT_ROWS) return { counts: await countValues(tx, rows), rows: total, cut: false };
  }
  const newest = keys.slice(0, MAX_FACET_ROWS);
  return { counts: await countValues(tx, layout().rowsAt(keyRows(newest))), rows: newest.length, cut: !isAll };
}

/**
 * Counts by values of a tally's columns; null if the tallies do not know the filter.
 * @param values rows (kind, value) of tallies `c`
 */
const countTallied =
  (shape: Shape, columns: string, values: string) =>
  async (tx: Tx, { orgIds, filter }: Plan): Promise<Count[] | null> => {
    const counts = orgIds.length > 0 && isTallied(filter) ? talliedCounts(orgIds, filter, shape) : null;
    if (!counts) return null;
    return rowsOf<Count>(
      tx,
      sql`SELECT v.kind, v.value, sum(c.n)::float8 AS count
        FROM (${counts}) AS c(${sql.raw(columns)}, n), LATERAL (VALUES ${sql.raw(values)}) AS v(kind, value)
        GROUP BY 1, 2 HAVING sum(c.n) > 0 ORDER BY 3 DESC, 2`,
    );
  };

/** Counts by actor, one more than a facet shows; null if more than time narrows the filter. */
async function countActors(tx: Tx, { orgIds, filter }: Plan): Promise<Count[] | null> {
  if (!isTimed(filter)) return null;
  const actors = await usersOf(tx, (shape) => countsBy(orgIds, filter, shape), MAX_FACET_VALUES + 1);
  const counts = actors.map(({ userId, actorType, userName: label, actionCount: count }): Count => {
    return { kind: "actor", value: userId === ZERO_UUID ? actorType : userId, count, label };
  });
  return byCount(counts, ({ value }) => value);
}

/** Adds names to actors, read from one sample row of each. */
async function nameActors(tx: Tx, actors: readonly Count[]): Promise<Count[]> {
  const samples = actors.flatMap(({ sample, label }) => (sample && label === undefined ? [sample] : []));
  const rows = await rowsByKey(
    tx,
    samples.map((sample) => ({ orgId: sample.slice(0, 36), seq: sample.slice(37) })),
    ENTRY,
  );
  const names = new Map(rows.map((row) => [`${row.org_id} ${row.chain_seq}`, toFullEntry(row).user.name]));
  return actors.map((one) => ({ ...one, label: one.label ?? names.get(one.sample ?? "") ?? one.value }));
}

type Facet = Facets["action"];

async function organizationNames(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const { id, name } = organizations;
  const found = await tx
    .select({ id, name })
    .from(organizations)
    .where(inArray(id, [...ids]));
  return new Map(found.map((org) => [org.id, org.name]));
}

const labelled = (counts: readonly { value: string; count: number; label?: string | undefined }[]): Facet =>
  counts.map(({ value, count, label }) => ({ value, label: label ?? value, count }));

/** Exact counts of all matches. */
const WHOLE = {
  kinds: countTallied(
    BY_KIND,
    "action, actor_type, result, resource_type",
    `('action', c.action), ('actorType', c.actor_type), ('result', c.result), ('resourceType', c.resource_type)`,
  ),
  actors: countActors,
  organizations: countTallied(BY_ORGANIZATION, "org_id", "('organization', c.org_id::text)"),
};
type Whole = keyof typeof WHOLE;

/** Values that a facet counts, and the filters it sets: ignored in its own counts so that other values can be added. */
type Counting = { kind: Kind; sets: readonly Exclude<FilterName, "q">[]; whole?: Whole };
const COUNTING: Record<FacetName, Counting> = {
  category: { kind: "action", sets: ["category"], whole: "kinds" },
  action: { kind: "action", sets: ["actions"], whole: "kinds" },
  actorType: { kind: "actorType", sets: ["actorType"], whole: "kinds" },
  actor: { kind: "actor", sets: ["actorId", "rawActorId"], whole: "actors" },
  address: { kind: "address", sets: ["ip"] },
  result: { kind: "result", sets: ["result"], whole: "kinds" },
  resourceType: { kind: "resourceType", sets: ["resourceType"], whole: "kinds" },
  firstSeen: { kind: "firstSeen", sets: ["new"] },
  organization: { kind: "organization", sets: [], whole: "organizations" },
};

/** A filter within the chosen organizations and within all available ones; each count is made once. */
class FacetQuery {
  readonly #wholes = new Map<string, Promise<Count[] | null>>();
  #newest: Promise<Counted> | undefined;
  constructor(
    private readonly tx: Tx,
    private readonly ctx: Ctx,
    private readonly plans: { chosen: Plan; all: Plan },
  ) {}

  async #without(facet: FacetName): Promise<[string, Plan]> {
    const { orgIds, filter } = facet === "organization" ? this.plans.all : this.plans.chosen;
    const own = COUNTING[facet].sets.filter((name) => filter[name]?.length);
    const isSame = own.length === 0 && orgIds.length === this.plans.chosen.orgIds.length;
    if (isSame) return ["", this.plans.chosen];
    const rest: RowFilter = { ...filter, ...Object.fromEntries(own.map((name) => [name, undefined])) };
    return [facet, await planRows(this.tx, orgIds, rest)];
  }

  #read(plan: Plan): Promise<Counted> {
    return countRead(this.tx, plan, deadlineOf(this.ctx, "counts"));
  }

  #whole(whole: Whole, key: string, plan: Plan): Promise<Count[] | null> {
    const name = `${key} ${whole}`;
    const counting = this.#wholes.get(name) ?? WHOLE[whole](this.tx, plan);
    this.#wholes.set(name, counting);
    return counting;
  }

  newest(): Promise<Counted> {
    this.#newest ??= this.#read(this.plans.chosen);
    return this.#newest;
  }

  /** Counts one facet: every match if time allows, else the newest. */
  async count(facet: FacetName): Promise<{ counts: Count[]; isExact: boolean }> {
    const { kind, whole } = COUNTING[facet];
    const [key, plan] = await this.#without(facet);
    const all = whole && (await this.#whole(whole, key, plan));
    if (all) return { counts: all.filter((count) => count.kind === kind), isExact: true };
    const read = key === "" ? await this.newest() : await this.#read(plan);
    return { counts: read.counts.filter((count) => count.kind === kind), isExact: !read.cut };
  }
}

/**
 * Matches of a filter by category, action, actor and other facets. A facet that already narrows keeps its other values.
 * Counts every match if the tallies know the filter or there are at most MAX_EXACT_ROWS, else the newest
 * MAX_FACET_ROWS; `exact` says which.
 */
export const getFacets = operation({
  permission: "audit:read",
  input: facetsInput,
  output: facets,
  async run(ctx, { among, ...filter }) {
    return tenantRead(ctx.scope, async (tx) => {
      const query = new FacetQuery(tx, ctx, {
        chosen: await planFor(tx, narrow(ctx, among), filter),
        all: await planFor(tx, ctx, filter),
      });
      const found = new Map<FacetName, Count[]>();
      const exact: FacetName[] = [];
      const rarer: FacetName[] = [];
      for (const name of FACET_NAMES) {
        const { counts, isExact } = await query.count(name);
        found.set(name, name === "category" ? counts : counts.slice(0, MAX_FACET_VALUES));
        if (isExact) exact.push(name);
        if (name !== "category" && counts.length > MAX_FACET_VALUES) rarer.push(name);
      }
      const { rows, cut } = await query.newest();
      const counted = fromKeys(FACET_NAMES, (name) => found.get(name) ?? []);
      const orgs = await organizationNames(
        tx,
        counted.organization.map(({ value }) => value),
      );
      return {
        ...mapValues(counted, labelled),
        category: byCategory(counted.category.map(({ value: action, count }) => ({ action, count }))).map(
          ({ category, count }) => ({ value: category, label: category, count }),
        ),
        action: labelled(counted.action.map((count) => ({ ...count, label: actionLabel(count.value) }))),
        actor: labelled(await nameActors(tx, counted.actor)),
        organization: labelled(counted.organization.map((count) => ({ ...count, label: orgs.get(count.value) }))),
        rows,
        truncated: cut,
        exact,
        cut: rarer,
      };
    });
  },
});
