import type { SQL } from "drizzle-orm";
import type { Tx } from "./client";

/**
 * The rows of a statement that Drizzle's builder cannot say, under the shape that the statement's own columns have.
 * The one place where such rows are given a type: the statement and Row are beside each other at every call.
 */
export async function rowsOf<Row>(tx: Tx, query: SQL): Promise<Row[]> {
  return (await tx.execute(query)) as unknown as Row[];
}

/**
 * The row of a statement that always gives one, such as INSERT … RETURNING.
 * @throws Error where there is none: the statement is wrong
 */
export function oneOf<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("a statement that gives one row gave none");
  return row;
}
