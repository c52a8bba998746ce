import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";

const STEP_ROWS = 4_096;

/** Indexes the next rows of one chain, as a step of the search worker does. @returns how many; null while a worker does */
export async function advanceIndex(orgId: string, rows = STEP_ROWS): Promise<number | null> {
  const [answer] = await asSystem((tx) =>
    rowsOf<{ advanced: number | null }>(tx, sql`SELECT audit_search_advance(${orgId}, ${rows})::int AS advanced`),
  );
  return answer?.advanced ?? null;
}

/** Organizations with rows that are not indexed yet, or that are pruned and still indexed. */
export async function listBacklog(): Promise<string[]> {
  const backlog = await asSystem((tx) =>
    rowsOf<{ orgId: string }>(tx, sql`SELECT org_id AS "orgId" FROM audit_search_backlog() ORDER BY rows DESC`),
  );
  return backlog.map(({ orgId }) => orgId);
}
