import { tenant } from "@/db/client";
import type { AuditFilter } from "@/server/audit/query/conditions";
import { planFor } from "@/server/audit/query/plan";
import { ENTRY, type EntryRow, rowsByKey } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import type { FullEntry } from "@/server/audit/schema";
import { ZERO_UUID } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { narrow } from "@/server/ground/scope";
import { inJson } from "@/server/ground/text";
import { idInput, typed } from "@/server/ground/wire";
import { getRow } from "./get";
import { rawResourceOf, toFullEntry } from "./to-entry";

const STEP = 100;
/** A limit, because a resource may be in every entry of an agent. */
const MAX_READ = 2_000;

/** The endings of actions that change something, for entries without before and after. */
const CHANGES =
  /\.(create|update|delete|change|set|enable|disable|rename|assign|unassign|revoke|rotate|release|restore|acknowledge|resolve|suppress)$/;

/** The change before; null where there is none among the entries that were read. isWhole: those were all. */
export type PreviousChange = { entry: FullEntry | null; read: number; isWhole: boolean };

const isChange = (row: EntryRow): boolean => {
  const { before, after, changes } = toFullEntry(row).details;
  return [before, after, changes].some((value) => value !== undefined) || CHANGES.test(row.action);
};

/** A filter that the entries of a resource meet, and whether one that meets it is of that resource. */
type Same = { filter: AuditFilter; isSame: (row: EntryRow) => boolean };

/** By its id; one that is no UUID is in the details, as JSON writes it. Of a resource without an id, name and type. */
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
 * The newest entry before one that succeeded in changing the same resource, in the same organization.
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
