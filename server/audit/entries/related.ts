import { type SQL, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { conditionsOf, type RowFilter } from "@/server/audit/query/conditions";
import { ENTRY, type EntryRow, newestRows } from "@/server/audit/query/rows";
import type { FullEntry } from "@/server/audit/schema";
import { ZERO_UUID } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { keysOf, mapValues } from "@/server/ground/records";
import { idInput, typed } from "@/server/ground/wire";
import { getRow } from "./get";
import { rawResourceOf, toFullEntry } from "./to-entry";

/**
 * Before and after the entry: about as long as one sitting. It also keeps the search to a short piece of the index by
 * time.
 */
const RELATED_WITHIN_MS = 5 * 60_000;
const MAX_RELATED = 10;

type Lists = { actor: FullEntry[]; resource: FullEntry[]; address: FullEntry[] };
/**
 * Rows close to an entry that share its actor, its resource or its address; each list newest first, at most 10. cut names
 * the lists that have more.
 */
export type Related = Lists & { cut: (keyof Lists)[] };

/** The condition of one list; null where the entry names nothing to share. */
type Shared = { filter?: RowFilter; condition?: SQL } | null;

function sameActor(row: EntryRow): Shared {
  if (row.actor_id !== ZERO_UUID) return { filter: { actorType: row.actor_type, actorId: row.actor_id } };
  const raw: unknown = toFullEntry(row).details.rawActorId;
  return typeof raw === "string" && raw ? { filter: { actorType: row.actor_type, rawActorId: raw } } : null;
}

function sameResource(row: EntryRow): Shared {
  const { resource_id: id, resource_type: resourceType, resource_name: name } = row;
  if (id && id !== ZERO_UUID) return { filter: { resourceId: id } };
  const raw = rawResourceOf(row);
  if (raw) return { filter: { resourceType }, condition: sql`a.details ->> 'rawResourceId' = ${raw}` };
  return name ? { filter: { resourceType }, condition: sql`a.resource_name = ${name}` } : null;
}

const sameAddress = (row: EntryRow): Shared =>
  row.ip_address ? { condition: sql`a.ip_address = ${row.ip_address}` } : null;

/** The newest of one list, and one more than it shows where there is one. */
async function near(tx: Tx, row: EntryRow, shared: Shared): Promise<FullEntry[]> {
  if (!shared) return [];
  const range = { from: new Date(row.ms - RELATED_WITHIN_MS), to: new Date(row.ms + RELATED_WITHIN_MS) };
  const conditions = [...conditionsOf({ ...shared.filter, ...range }), sql`a.id <> ${row.id}::uuid`];
  if (shared.condition) conditions.push(shared.condition);
  const rows = await newestRows(tx, { orgIds: [row.org_id], conditions, limit: MAX_RELATED + 1, shape: ENTRY });
  return rows.map(toFullEntry);
}

/**
 * What else happened within five minutes of an entry, in its organization: by its actor, to its resource, from its address.
 * @throws AppError not_found when the entry is missing or belongs to another organization.
 */
export const listRelated = operation({
  permission: "audit:read",
  input: idInput,
  output: typed<Related>(),
  async run(ctx, { id }) {
    const row = await getRow(ctx, id);
    const found = await tenant(
      ctx.scope,
      async (tx): Promise<Lists> => ({
        actor: await near(tx, row, sameActor(row)),
        resource: await near(tx, row, sameResource(row)),
        address: await near(tx, row, sameAddress(row)),
      }),
    );
    return {
      ...mapValues(found, (rows) => rows.slice(0, MAX_RELATED)),
      cut: keysOf(found).filter((name) => found[name].length > MAX_RELATED),
    };
  },
});
