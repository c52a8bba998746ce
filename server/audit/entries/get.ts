import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type EntryRow, reachedBy, rowOfId } from "@/server/audit/query/rows";
import { fullEntry } from "@/server/audit/schema";
import type { Ctx } from "@/server/ground/context";
import { notFound } from "@/server/ground/errors";
import { writeExact } from "@/server/ground/exact-json";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { toFullEntry } from "./to-entry";

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
    return toFullEntry(await getRow(ctx, id));
  },
});

/**
 * One audit entry in the full format as the text of its JSON, whose numbers have every digit that was recorded: a page's
 * own numbers are doubles.
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

/** The entries beside one in the order of the lists; null at the ends. */
export type Neighbours = { newer: string | null; older: string | null };

/**
 * The ids of the entries next to an entry, in its organization.
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
