import { inArray } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { tenantRead } from "@/db/read";
import { organizations } from "@/db/schema";
import { actionLabel } from "@/server/audit/action-label";
import { categoryOf } from "@/server/audit/actions";
import { FACET_NAMES, type FacetName, type FilterName } from "@/server/audit/query/catalogue";
import type { RowFilter } from "@/server/audit/query/conditions";
import { type Plan, planFor, planRows } from "@/server/audit/query/plan";
import { operation } from "@/server/ground/operation";
import { fromKeys, mapValues } from "@/server/ground/records";
import { narrow } from "@/server/ground/scope";
import {
  type Count,
  type Counted,
  countActors,
  countKinds,
  countOrganizations,
  countRead,
  type Kind,
  nameActors,
} from "./facet-counts";
import { type Facets, facets, facetsInput, MAX_FACET_VALUES } from "./facets-schema";

type Facet = Facets["action"];

async function organizationNames(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { id, name } = organizations;
  const found = await tx
    .select({ id, name })
    .from(organizations)
    .where(inArray(id, [...ids]));
  return new Map(found.map((org) => [org.id, org.name]));
}

function byCategory(actions: readonly Count[]): Facet {
  const counts = new Map<string, number>();
  for (const { value, count } of actions) counts.set(categoryOf(value), (counts.get(categoryOf(value)) ?? 0) + count);
  return [...counts]
    .map(([value, count]) => ({ value, label: value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

const labelled = (counts: readonly { value: string; count: number; label?: string | undefined }[]): Facet =>
  counts.map(({ value, count, label }) => ({ value, label: label ?? value, count }));

type Own = Exclude<FilterName, "q">;
/**
 * What a facet counts; the filters that it sets, which its own counts ignore so that other values can be added; and
 * how all matches are counted.
 */
type Counting = {
  kind: Kind;
  sets: readonly Own[];
  whole: (tx: Tx, plan: Plan) => Promise<Count[] | null>;
};
const COUNTING: Record<FacetName, Counting> = {
  category: { kind: "action", sets: ["category"], whole: countKinds },
  action: { kind: "action", sets: ["actions"], whole: countKinds },
  actorType: { kind: "actorType", sets: ["actorType"], whole: countKinds },
  actor: { kind: "actor", sets: ["actorId", "rawActorId"], whole: countActors },
  result: { kind: "result", sets: ["result"], whole: countKinds },
  resourceType: { kind: "resourceType", sets: ["resourceType"], whole: countKinds },
  organization: { kind: "organization", sets: [], whole: countOrganizations },
};

/** A filter in the chosen organizations and in all that could be chosen; each count is made once. */
class FacetQuery {
  readonly #wholes = new Map<string, Promise<Count[] | null>>();
  #newest: Promise<Counted> | undefined;
  constructor(
    private readonly tx: Tx,
    readonly chosen: Plan,
    private readonly all: Plan,
  ) {}

  /** The filter without a facet's own part. */
  async #without(facet: FacetName): Promise<[string, Plan]> {
    const { orgIds, filter } = facet === "organization" ? this.all : this.chosen;
    const own = COUNTING[facet].sets.filter((name) => filter[name]?.length);
    const isSame = own.length === 0 && orgIds.length === this.chosen.orgIds.length;
    if (isSame) return ["", this.chosen];
    const rest: RowFilter = { ...filter, ...Object.fromEntries(own.map((name) => [name, undefined])) };
    return [facet, await planRows(this.tx, orgIds, rest)];
  }

  newest(): Promise<Counted> {
    this.#newest ??= countRead(this.tx, this.chosen);
    return this.#newest;
  }

  /** The counts of one facet: of every match where there is time for it, else of the newest. */
  async count(facet: FacetName): Promise<{ counts: Count[]; isExact: boolean }> {
    const { kind, whole } = COUNTING[facet];
    const [key, plan] = await this.#without(facet);
    const name = `${key} ${whole.name}`;
    const counting = this.#wholes.get(name) ?? whole(this.tx, plan);
    this.#wholes.set(name, counting);
    const all = await counting;
    if (all) return { counts: all.filter((count) => count.kind === kind), isExact: true };
    const read = key === "" ? await this.newest() : await countRead(this.tx, plan);
    return { counts: read.counts.filter((count) => count.kind === kind), isExact: !read.cut };
  }
}

/**
 * How the matches of a filter are spread over categories, actions, actors …: what the viewer offers to narrow by. A facet
 * that narrows already keeps its other values. Every match is counted where the tallies know the filter, or where they are
 * at most MAX_EXACT_ROWS; else the newest MAX_FACET_ROWS, in bounded time. `exact` says which.
 */
export const getFacets = operation({
  permission: "audit:read",
  input: facetsInput,
  output: facets,
  async run(ctx, { among, ...filter }) {
    return tenantRead(ctx.scope, async (tx) => {
      const query = new FacetQuery(tx, await planFor(tx, narrow(ctx, among), filter), await planFor(tx, ctx, filter));
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
        category: byCategory(counted.category),
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
