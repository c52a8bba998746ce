import type { World } from "@/bench/world";
import { encodeCursor } from "@/server/audit/query/rows";

/** Cursor of a page at a depth below the newest row, in list order. */
export async function cursorAt({ app }: World, orgId: string, depth: number): Promise<string> {
  const [row] = await app<{ ms: number; seq: string }[]>`
    SELECT (extract(epoch FROM "timestamp") * 1000)::float8 AS ms, chain_seq AS seq FROM audit_logs
    WHERE org_id = ${orgId} ORDER BY "timestamp" DESC, chain_seq DESC OFFSET ${depth} LIMIT 1`;
  if (!row) throw new Error(`the history is shorter than ${depth} rows`);
  return encodeCursor({ ms: row.ms, seq: row.seq, orgId });
}
