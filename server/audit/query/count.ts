import { type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { conditionsOf } from "./conditions";
import type { Plan } from "./plan";
import { allOf } from "./rows";
import { findKeys } from "./search";
import { talliedCounts } from "./tallies";

const byHeads = ({ orgIds }: Plan): SQL =>
  sql`SELECT COALESCE(sum(h.seq - h.pruned_through_seq), 0)::float8 AS total FROM audit_chain_heads_of(${uuids(orgIds)}) h`;

/** Along the index by time where there is a range. */
const byRows = ({ orgIds, filter }: Plan): SQL =>
  sql`SELECT count(*)::float8 AS total FROM ${layout().eachOf(orgIds)}
    JOIN audit_logs a ON a.org_id = o.id WHERE ${allOf(conditionsOf(filter))}`;

function byTallies(plan: Plan): SQL {
  const counts = talliedCounts(plan.orgIds, plan.filter);
  return counts
    ? sql`SELECT COALESCE(sum(n), 0)::float8 AS total FROM (${counts}) AS c(since, result, n)`
    : byRows(plan);
}

const QUERY_OF = { heads: byHeads, tallies: byTallies, rows: byRows };

/**
 * Exact number of matches in some organizations. Without filters it is head minus pruned rows, because the sequence has
 * no gaps.
 */
export async function countRows(tx: Tx, plan: Plan): Promise<number> {
  if (plan.orgIds.length === 0) return 0;
  if (plan.total === "index") return (await findKeys(tx, plan, { need: 0, total: true })).total ?? 0;
  const [row] = await rowsOf<{ total: number }>(tx, QUERY_OF[plan.total](plan));
  return row?.total ?? 0;
}
