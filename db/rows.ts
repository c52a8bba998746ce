import type { SQL } from "drizzle-orm";
import type { Tx } from "./client";

/**
 * Rows of a statement beyond Drizzle's builder, typed as Row. The only place for such casts: statement and type are
 * next to each other in every call.
 */
export async function rowsOf<Row>(tx: Tx, query: SQL): Promise<Row[]> {
  return (await tx.execute(query)) as unknown as Row[];
}

/**
 * Row of a statement that always returns one, such as INSERT … RETURNING.
 * @throws Error if there is none, so the statement is wrong
 */
export function oneOf<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("a statement that gives one row gave none");
  return row;
}
