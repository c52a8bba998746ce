import { type SQL, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { allOf } from "./rows";

/** Milliseconds since 1970; null without rows. */
type Bounds = { first: number | null; last: number | null };

/** Timestamps of the oldest and newest row of some organizations, or of those that meet conditions on rows `a`. */
export async function boundsOf(tx: Tx, orgIds: readonly string[], conditions: SQL[] = []): Promise<Bounds> {
  const end = (direction: "ASC" | "DESC") =>
    sql`(SELECT e.at FROM ${layout().eachOf(orgIds)}, LATERAL (SELECT (extract(epoch FROM a."timestamp") * 1000)::float8 AS at FROM audit_logs a
      WHERE a.org_id = o.id AND ${allOf(conditions)} ORDER BY a."timestamp" ${sql.raw(direction)} LIMIT 1) e ORDER BY 1 ${sql.raw(direction)} LIMIT 1)`;
  const [bounds] = await rowsOf<Bounds>(tx, sql`SELECT ${end("ASC")} AS first, ${end("DESC")} AS last`);
  return bounds ?? { first: null, last: null };
}
