import { inArray, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { organizations } from "@/db/schema";
import { actionLabel } from "@/server/audit/action-label";
import { categoryOf } from "@/server/audit/actions";
import { resolveFilter } from "@/server/audit/query/resolve";
import { ENTRY, type Key, keyRows, rowsAt, rowsByKey } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search-keys";
import { ZERO_UUID } from "@/server/context";
import { operation } from "@/server/operation";
import { type Facets, facets, facetsInput, MAX_FACET_ROWS, MAX_FACET_VALUES } from "./facets-schema";
import { toFullEntry } from "./to-entry";

const TIME_MS = 400;

type Facet = Facets["action"];
type Kind = "action" | "actorType" | "actor" | "result" | "resourceType" | "organization";
/** sample is the key of a row that has the value: organization, blank, sequence. */
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

function byCategory(actions: readonly Count[]): Facet {
  const counts = new Map<string, number>();
  for (const { value, count } of actions) counts.set(categoryOf(value), (counts.get(categoryOf(value)) ?? 0) + count);
  return [...counts].map(([value, count]) => ({ value, label: value, count })).sort((a, b) => b.count - a.count);
}

/**
 * How the newest matches of a filter are spread over categories, actions, actors …: what the viewer offers to narrow by.
 * Counts at most MAX_FACET_ROWS rows, in bounded time.
 */
export const getFacets = operation({
  permission: "audit:read",
  input: facetsInput,
  output: facets,
  async run(ctx, filter) {
    return tenant(ctx.scope, async (tx) => {
      const resolved = await resolveFilter(tx, ctx, filter);
      const deadline = performance.now() + TIME_MS;
      const { keys, cut } = await findKeys(tx, resolved, { need: MAX_FACET_ROWS + 1, deadline });
      const counted = keys.slice(0, MAX_FACET_ROWS);
      const counts = await countValues(tx, counted);
      const of = (kind: Kind) => counts.filter((count) => count.kind === kind);
      const top = (kind: Kind) => of(kind).slice(0, MAX_FACET_VALUES);
      const actors = await namesOf(tx, top("actor"));
      const orgs = await organizationNames(
        tx,
        top("organization").map((count) => count.value),
      ); // prettier-ignore
      const facet = (kind: Kind, label: (count: Count) => string | undefined): Facet =>
        top(kind).map((count) => ({ value: count.value, label: label(count) ?? count.value, count: count.count }));
      return {
        category: byCategory(of("action")),
        action: facet("action", ({ value }) => actionLabel(value)),
        actorType: facet("actorType", ({ value }) => value),
        actor: facet("actor", ({ sample }) => actors.get(sample)),
        result: facet("result", ({ value }) => value),
        resourceType: facet("resourceType", ({ value }) => value),
        organization: facet("organization", ({ value }) => orgs.get(value)),
        rows: counted.length,
        truncated: cut || keys.length > counted.length,
      };
    });
  },
});
