import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { indexChain } from "@/server/audit/search/indexer";

/**
 * Indexes the next rows of a chain, like a step of the search worker. @returns their number; null while a worker is
 * running
 */
export const advanceIndex = (orgId: string, rows?: number): Promise<number | null> => indexChain(orgId, rows);

/** Organizations with unindexed rows, or indexed rows that were pruned. */
export async function listBacklog(): Promise<string[]> {
  const backlog = await asSystem((tx) =>
    rowsOf<{ orgId: string }>(tx, sql`SELECT org_id AS "orgId" FROM audit_search_backlog() ORDER BY rows DESC`),
  );
  return backlog.map(({ orgId }) => orgId);
}
