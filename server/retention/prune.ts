import { sql } from "drizzle-orm";
import type { Admin } from "@/db/admin";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { permitPruning, refuseAlarmed } from "./permit";
import { PRUNE_SLICE_ROWS } from "./schema";

/** Rows removed from one organization; 0 when nothing had expired. */
export type Pruned = { rows: number; slices: number; firstSeq: number | null; lastSeq: number | null };

/** Rows per transaction, and the end of the signed receipt. */
type Bounds = { rows: number; through: number };
/**
 * End of the next slice: before the first row inside the window, which the database's trigger would refuse. No
 * statement joins a function's result with rows, because a distributed database cannot plan it.
 * @returns null without a policy or a chain
 */
async function nextSlice(tx: Tx, orgId: string, bounds: Bounds): Promise<{ through: number; last: number } | null> {
  const [[head], [policy]] = await Promise.all([
    rowsOf<{ seq: string; through: string }>(
      tx,
      sql`SELECT h.seq, h.pruned_through_seq AS through FROM audit_chain_head(${orgId}::uuid) h`,
    ),
    rowsOf<{ cutoff: string }>(
      tx,
      sql`SELECT (now() - make_interval(hours => 24 * p.retention_days))::text AS cutoff
        FROM audit_retention_policies p WHERE p.org_id = ${orgId}`,
    ),
  ]);
  if (!head || !policy) return null;
  const { cutoff } = policy;
  const through = Number(head.through);
  const end = Math.min(through + bounds.rows, Number(head.seq), bounds.through);
  const [inside] = await rowsOf<{ seq: string }>(
    tx,
    sql`SELECT chain_seq AS seq FROM audit_logs
      WHERE org_id = ${orgId} AND chain_seq > ${through} AND chain_seq <= ${end}
        AND "timestamp" >= ${cutoff}::timestamptz AND sealed_at >= ${cutoff}::timestamptz
      ORDER BY chain_seq LIMIT 1`,
  );
  return { through, last: inside ? Number(inside.seq) - 1 : end };
}

/**
 * Removes one slice, all or nothing: the next rows up to the first inside the window. The database's trigger checks
 * every condition again, stores the progress and adds a receipt to the chain.
 * @returns first and last sequence removed, or null when nothing has expired or there is no policy
 */
function pruneSlice(admin: Admin, orgId: string, bounds: Bounds): Promise<{ first: number; last: number } | null> {
  return admin.transaction(
    async (tx) => {
      const { through, last } = (await nextSlice(tx, orgId, bounds)) ?? { through: 0, last: 0 };
      if (last <= through) return null;
      await tx.execute(
        sql`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq > ${through} AND chain_seq <= ${last}`,
      );
      return { first: through + 1, last };
    },
    { prune: true },
  );
}

type PruneInput = { orgId: string; sliceRows?: number; signal?: AbortSignal | undefined };

/**
 * Removes expired rows of one organization's chain: proves them, signs a receipt, removes slice after slice, and stores
 * the time.
 * @param pruned counts each committed slice
 * @throws NotPermitted when the rows are not intact, or an alarm is open on the log, even if raised since the first
 * slice
 * @throws PostgresError when the chain or its policy does not allow it; earlier slices stay removed
 */
export async function pruneOrganization(
  admin: Admin,
  pruned: Pruned,
  { orgId, sliceRows = PRUNE_SLICE_ROWS, signal }: PruneInput,
): Promise<void> {
  const through = signal?.aborted ? null : await permitPruning(orgId);
  while (through !== null && !signal?.aborted) {
    // Reading and removing may take hours, during which an alarm may be raised.
    await refuseAlarmed(orgId);
    const slice = await pruneSlice(admin, orgId, { rows: sliceRows, through });
    if (!slice) break;
    pruned.slices++;
    pruned.rows += slice.last - slice.first + 1;
    pruned.firstSeq ??= slice.first;
    pruned.lastSeq = slice.last;
    // A shorter slice was the last: it ended at a row inside the window or at the head.
    if (slice.last - slice.first + 1 < sliceRows) break;
  }
  if (!signal?.aborted)
    await admin.transaction((tx) =>
      tx.execute(sql`UPDATE audit_retention_policies SET last_cleanup_at = now() WHERE org_id = ${orgId}`),
    );
}
