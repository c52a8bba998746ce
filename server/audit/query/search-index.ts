import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";

/** Organizations whose newest rows are not indexed yet, or whose pruned ones still are. */
export async function listBacklog(): Promise<string[]> {
  const rows = (await asSystem((tx) => tx.execute(sql`SELECT org_id FROM audit_search_backlog()`))) as unknown as {
    org_id: string;
  }[];
  return rows.map((row) => row.org_id);
}

/**
 * One step of the indexer in one organization's chain: the next `rows` rows, those kept back that do not fill a block.
 * @returns how many rows it indexed; null while another process is at it
 */
export async function advanceIndex(orgId: string, rows = 4_096): Promise<number | null> {
  const [answer] = (await asSystem((tx) =>
    tx.execute(sql`SELECT audit_search_advance(${orgId}::uuid, ${rows})::int AS advanced`),
  )) as unknown as { advanced: number | null }[];
  return answer?.advanced ?? null;
}
