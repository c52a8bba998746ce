import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { newestCheckpoint } from "./note-store";
import { TILE_WIDTH } from "./tiles";

/**
 * How much of an organization's tree has been built before its first checkpoint: a chain that is older than trees is
 * read whole in the background.
 * @returns a fraction from 0 to 1, or null once there is a checkpoint
 */
export function treeProgress(orgId: string): Promise<number | null> {
  return asSystem(async (tx) => {
    if (await newestCheckpoint(tx, orgId)) return null;
    const [[head], [built]] = await Promise.all([
      rowsOf<{ seq: number }>(tx, sql`SELECT seq::float8 AS seq FROM audit_chain_head(${orgId}::uuid)`),
      rowsOf<{ tiles: number }>(
        tx,
        sql`SELECT (idx + 1)::float8 AS tiles FROM audit_tree_tiles
          WHERE org_id = ${orgId} AND level = 0 ORDER BY idx DESC LIMIT 1`,
      ),
    ]);
    return head ? Math.min(1, ((built?.tiles ?? 0) * TILE_WIDTH) / head.seq) : 0;
  });
}
