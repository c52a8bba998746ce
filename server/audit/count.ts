import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import type { Scope } from "../context";
import { conditionsOf, isUnfiltered } from "./filters";
import { allOf, organizationsOf } from "./row-query";
import type { Filters } from "./schema";

/**
 * How many rows of a scope meet the filters, exactly. Without filters the chain knows: its sequence has no gaps, so
 * head minus what was pruned is the count, at any length of history.
 */
export async function countRows(tx: Tx, scope: Scope, filters: Partial<Filters>): Promise<number> {
  const query = isUnfiltered(filters)
    ? sql`SELECT COALESCE(sum(h.seq - h.pruned_through_seq), 0)::float8 AS total
        FROM audit_chain_heads_of(ARRAY(SELECT o.id FROM ${organizationsOf(scope)})) h`
    : sql`SELECT count(*)::float8 AS total FROM ${organizationsOf(scope)}
        JOIN audit_logs a ON a.org_id = o.id WHERE ${allOf(conditionsOf(filters))}`;
  const [row] = (await tx.execute(query)) as unknown as { total: number }[];
  return row?.total ?? 0;
}
