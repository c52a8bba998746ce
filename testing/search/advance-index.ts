import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { indexChain } from "@/server/audit/search/indexer";

/** Indexes the next rows of one chain, as a step of the search worker does. @returns how many; null while a worker does */
export const advanceIndex = (orgId: string, rows?: number): Promise<number | null> => indexChain(orgId, rows);

/** Organizations with rows that are not indexed yet, or that are pruned and still indexed. */
export async function listBacklog(): Promise<string[]> {
  const backlog = await asSystem((tx) =>
    rowsOf<{ orgId: string }>(tx, sql`SELECT org_id AS "orgId" FROM audit_search_backlog() ORDER BY rows DESC`),
  );
  return backlog.map(({ orgId }) => orgId);
}
