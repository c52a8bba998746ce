import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type AuditFilter, conditionsOf, type RowFilter } from "@/server/audit/query/conditions";
import { planFor } from "@/server/audit/query/plan";
import { ENTRY, type EntryRow, newestRows, reachedBy, rowOfId, rowsByKey } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import { type FullEntry, fullEntry } from "@/server/audit/schema";
import { withFirstSeen } from "@/server/audit/search/first-seen";
import { type Ctx, ZERO_UUID } from "@/server/ground/context";
import { notFound } from "@/server/ground/errors";
import { writeExact } from "@/server/ground/exact-json";
import { operation } from "@/server/ground/operation";
import { keysOf, mapValues } from "@/server/ground/records";
import { narrow } from "@/server/ground/scope";
import { inJson } from "@/server/ground/text";
import { idInput, typed } from "@/server/ground/wire";
import { rawResourceOf, toFullEntry } from "./to-entry";

/** @throws AppError not_found when the row is missing or belongs to another organization. */
export async function getRow(ctx: Ctx, id: string): Promise<EntryRow> {
  const row = await tenant(ctx.scope, async (tx) => rowOfId(tx, await reachedBy(tx, ctx.scope), id));
  if (!row) throw notFound("audit log entry");
  return row;
}

/**
 * One audit entry in the full format.
 * @throws AppError not_found when it is missing or belongs to another organization.
 */
export const getAuditEntry = operation({
  permission: "audit:read",
  input: idInput,
  output: fullEntry,
  async run(ctx, { id }) {
    const entry = toFullEntry(await getRow(ctx, id));
    const [found = entry] = await tenant(ctx.scope, (tx) => withFirstSeen(tx, [entry]));
    return found;
  },
});

/**
 * One audit entry in the full format as JSON text, which keeps every digit of a number; a browser would parse numbers
 * as doubles.
 * @throws AppError not_found when it is missing or belongs to another organization.
 */
export const getEntryJson = operation({
  permission: "audit:read",
  input: idInput,
  output: z.strictObject({ json: z.string() }),
  async run(ctx, { id }) {
    return { json: writeExact(JSON.stringify(toFullEntry(await getRow(ctx, id)), null, 2)) };
  },
});

/** Ids of the adjacent entries in list order; null at the ends. */
export type Neighbours = { newer: string | null; older: string | null };

/**
 * Ids of the entries next to an entry, in its organization.
 * @throws AppError not_found when the entry is missing or belongs to another organization.
 */
export const getNeighbours = operation({
  permission: "audit:read",
  input: idInput,
  output: typed<Neighbours>(),
  async run(ctx, { id }) {
    const row = await getRow(ctx, id);
    const at = sql`(${new Date(row.ms).toISOString()}::timestamptz, ${row.chain_seq}::bigint)`;
    const beside = (comparison: SQL, order: SQL) =>
      sql`(SELECT a.id FROM audit_logs a WHERE a.org_id = ${row.org_id}::uuid AND (a."timestamp", a.chain_seq) ${comparison} ${at}
        ORDER BY a."timestamp" ${order}, a.chain_seq ${order} LIMIT 1)`;
    const [found] = await tenant(ctx.scope, (tx) =>
      rowsOf<Neighbours>(tx, sql`SELECT ${beside(sql`>`, sql`ASC`)} AS newer, ${beside(sql`<`, sql`DESC`)} AS older`),
    );
    return found ?? { newer: null, older: null };
  },
});

/** Covers about one sitting, and keeps the search to a short part of the time index. */
const RELATED_WITHIN_MS = 5 * 60_000;
const MAX_RELATED = 10;

type Lists = { actor: FullEntry[]; resource: FullEntry[]; address: FullEntry[] };
/**
 * Nearby rows with the same actor, resource or address; each list newest first, at most 10. `cut` names the lists with
 * more.
 */
export type Related = Lists & { cut: (keyof Lists)[] };

/** Condition of one list; null if the entry has no such value. */
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

/** Newest rows of one list, plus one to detect more. */
async function near(tx: Tx, row: EntryRow, shared: Shared): Promise<FullEntry[]> {
  if (!shared) return [];
  const range = { from: new Date(row.ms - RELATED_WITHIN_MS), to: new Date(row.ms + RELATED_WITHIN_MS) };
  const conditions = [...conditionsOf({ ...shared.filter, ...range }), sql`a.id <> ${row.id}::uuid`];
  if (shared.condition) conditions.push(shared.condition);
  const rows = await newestRows(tx, { orgIds: [row.org_id], conditions, limit: MAX_RELATED + 1, shape: ENTRY });
  return rows.map(toFullEntry);
}

/**
 * Other entries within five minutes of an entry, in its organization: by its actor, on its resource, from its address.
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

const STEP = 100;
/** Limits the search, because every entry of an agent may name the same resource. */
const MAX_READ = 2_000;

/** Suffixes of mutating actions, for entries without before and after. */
const CHANGES =
  /\.(create|update|delete|change|set|enable|disable|rename|assign|unassign|revoke|rotate|release|restore|acknowledge|resolve|suppress)$/;

/** Previous change; null if none is among the entries read. isWhole: no older entries were left unread. */
export type PreviousChange = { entry: FullEntry | null; read: number; isWhole: boolean };

const isChange = (row: EntryRow): boolean => {
  const { before, after, changes } = toFullEntry(row).details;
  return [before, after, changes].some((value) => value !== undefined) || CHANGES.test(row.action);
};

/** A filter for the entries of a resource, and an exact test of each match. */
type Same = { filter: AuditFilter; isSame: (row: EntryRow) => boolean };

/** By id, or by its text in the details if it is not a UUID; without an id, by name and type. */
function sameResourceAs(entry: EntryRow): Same | null {
  const { resource_id: id, resource_type: type, resource_name: name } = entry;
  if (id && id !== ZERO_UUID) return { filter: { resourceId: [id] }, isSame: () => true };
  const raw = rawResourceOf(entry);
  if (raw)
    return {
      filter: { resourceType: [type], phrase: inJson(raw) },
      isSame: (row) => rawResourceOf(row) === raw,
    };
  return name
    ? { filter: { resource: [name], resourceType: [type] }, isSame: (row) => row.resource_name === name }
    : null;
}

/**
 * Newest earlier entry of a successful change to the same resource, in the same organization.
 * @throws AppError not_found when the entry is missing or belongs to another organization.
 */
export const getPreviousChange = operation({
  permission: "audit:read",
  input: idInput,
  output: typed<PreviousChange>(),
  async run(ctx, { id }) {
    const entry = await getRow(ctx, id);
    const same = sameResourceAs(entry);
    if (!same) return { entry: null, read: 0, isWhole: true };
    return tenant(ctx.scope, async (tx) => {
      const filter: AuditFilter = { ...same.filter, result: ["success"], routine: "without", to: new Date(entry.ms) };
      const plan = await planFor(tx, narrow(ctx, entry.org_id), filter);
      let after = { ms: entry.ms, seq: entry.chain_seq, orgId: entry.org_id };
      for (let read = 0; read < MAX_READ; ) {
        const { keys } = await findKeys(tx, plan, { after, need: STEP });
        const rows = await rowsByKey(tx, keys, ENTRY);
        const found = rows.find((row) => same.isSame(row) && isChange(row));
        read += rows.length;
        const last = keys.at(-1);
        if (found || keys.length < STEP || !last)
          return { entry: found ? toFullEntry(found) : null, read, isWhole: true };
        after = last;
      }
      return { entry: null, read: MAX_READ, isWhole: false };
    });
  },
});
