import { type SQL, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { getRow } from "./get";

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
