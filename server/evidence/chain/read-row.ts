import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type ChainRow, SEALED_FIELDS } from "@/server/audit/row";
import { SEALED_COLUMNS } from "./copy-rows";

const COLUMNS_OF_ROW = sql.raw(SEALED_FIELDS.map((field, i) => `${SEALED_COLUMNS[i]} AS "${field}"`).join(", "));

/** A few sealed rows between two sequences, in order, with the checksums that are stored of them. */
export const readChainRows = (tx: Tx, orgId: string, { first, last }: { first: number; last: number }) =>
  rowsOf<ChainRow & { checksum: string }>(
    tx,
    sql`SELECT ${COLUMNS_OF_ROW} FROM audit_logs
      WHERE org_id = ${orgId} AND audit_logs.chain_seq BETWEEN ${first} AND ${last} ORDER BY audit_logs.chain_seq`,
  );

/** One sealed row as the chain hashes it; null when it is missing, of another organization or not sealed yet. */
export async function readChainRow(tx: Tx, orgId: string, id: string): Promise<ChainRow | null> {
  const columns = SEALED_FIELDS.map((field, i) => `${SEALED_COLUMNS[i]} AS "${field}"`).slice(0, -1);
  const [row] = await rowsOf<ChainRow>(
    tx,
    sql`SELECT ${sql.raw(columns.join(", "))} FROM audit_logs
      WHERE org_id = ${orgId} AND id = ${id} AND chain_seq IS NOT NULL`,
  );
  return row ?? null;
}
