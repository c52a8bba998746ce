import { sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** Milliseconds since 1970; null without rows. */
type Bounds = { first: number | null; last: number | null };

/** Timestamps of the oldest and newest row of some organizations. */
export async function boundsOf(tx: Tx, orgIds: readonly string[]): Promise<Bounds> {
  const end = (direction: "ASC" | "DESC") =>
    sql`(SELECT e.at FROM ${layout().eachOf(orgIds)}, LATERAL (SELECT (extract(epoch FROM l."timestamp") * 1000)::float8 AS at FROM audit_logs l
      WHERE l.org_id = o.id ORDER BY l."timestamp" ${sql.raw(direction)} LIMIT 1) e ORDER BY 1 ${sql.raw(direction)} LIMIT 1)`;
  const [bounds] = await rowsOf<Bounds>(tx, sql`SELECT ${end("ASC")} AS first, ${end("DESC")} AS last`);
  return bounds ?? { first: null, last: null };
}
