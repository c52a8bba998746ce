import { tenant } from "@/db/client";
import type { AuditFilter } from "@/server/audit/query/conditions";
import { resolveFilter } from "@/server/audit/query/resolve";
import { ENTRY, type EntryRow, rowsByKey } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search-keys";
import type { FullEntry } from "@/server/audit/schema";
import { operation } from "@/server/operation";
import { narrow } from "@/server/scope";
import { idInput, typed } from "@/server/wire";
import { getRow } from "./get";
import { toFullEntry } from "./to-entry";

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

/** Of a resource without an id, name and type. */
const aboutResourceOf = ({
  resource_id: id,
  resource_name: name,
  resource_type: type,
}: EntryRow): AuditFilter | null => {
  if (id) return { resourceId: [id] };
  return name ? { resource: [name], resourceType: [type] } : null;
};

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
    const about = aboutResourceOf(entry);
    if (!about) return { entry: null, read: 0, isWhole: true };
    return tenant(ctx.scope, async (tx) => {
      const filter: AuditFilter = { ...about, result: ["success"], routine: "without", to: new Date(entry.ms) };
      const resolved = await resolveFilter(tx, narrow(ctx, entry.org_id), filter);
      let after = { ms: entry.ms, seq: entry.chain_seq, orgId: entry.org_id };
      for (let read = 0; read < MAX_READ; ) {
        const { keys } = await findKeys(tx, resolved, { after, need: STEP });
        const rows = await rowsByKey(tx, keys, ENTRY);
        const same = rows.filter((row) => entry.resource_id || row.resource_name === entry.resource_name);
        const found = same.find(isChange);
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
