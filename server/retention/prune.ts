import { sql } from "drizzle-orm";
import type { Admin } from "@/db/admin";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { Slice } from "@/server/evidence/integrity/check-tiles";
import { type Permit, permitPruning, proveSlice, refuseAlarmed, signThrough } from "./permit";
import { PRUNE_SLICE_ROWS } from "./schema";

/** Rows removed from one organization; 0 when nothing had expired. */
export type Pruned = { rows: number; slices: number; firstSeq: number | null; lastSeq: number | null };

/**
 * End of a slice: before the first row inside the window, which the database's trigger would refuse. No statement joins a
 * function's result with rows, because a distributed database cannot plan it.
 * @returns null without a policy or a chain
 */
async function endOf(tx: Tx, orgId: string, { first, last }: Slice): Promise<number | null> {
  const [[head], [policy]] = await Promise.all([
    rowsOf<{ seq: string }>(tx, sql`SELECT h.seq FROM audit_chain_head(${orgId}::uuid) h`),
    rowsOf<{ cutoff: string }>(
      tx,
      sql`SELECT (now() - make_interval(hours => 24 * p.retention_days))::text AS cutoff
        FROM audit_retention_policies p WHERE p.org_id = ${orgId}`,
    ),
  ]);
  if (!head || !policy) return null;
  const { cutoff } = policy;
  const end = Math.min(last, Number(head.seq));
  const [inside] = await rowsOf<{ seq: string }>(
    tx,
    sql`SELECT chain_seq AS seq FROM audit_logs
      WHERE org_id = ${orgId} AND chain_seq >= ${first} AND chain_seq <= ${end}
        AND "timestamp" >= ${cutoff}::timestamptz AND sealed_at >= ${cutoff}::timestamptz
      ORDER BY chain_seq LIMIT 1`,
  );
  return inside ? Number(inside.seq) - 1 : end;
}

/**
 * Removes one slice, all or nothing: its rows up to the first inside the window. The database's trigger checks every
 * condition again, stores the progress and adds a receipt to the chain.
 * @returns number of rows removed
 */
function pruneSlice(admin: Admin, orgId: string, slice: Slice): Promise<number> {
  return admin.transaction(
    async (tx) => {
      const { first } = slice;
      const last = (await endOf(tx, orgId, slice)) ?? 0;
      if (last < first) return 0;
      await tx.execute(
        sql`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq >= ${first} AND chain_seq <= ${last}`,
      );
      return last - first + 1;
    },
    { prune: true },
  );
}

type PruneInput = { orgId: string; sliceRows?: number; signal?: AbortSignal | undefined };

/** Removes slice after slice, each proven while the one before it is removed. */
async function pruneSlices(admin: Admin, pruned: Pruned, input: PruneInput & { permit: Permit }): Promise<void> {
  const { orgId, sliceRows: rows = PRUNE_SLICE_ROWS, signal, permit } = input;
  const { firstSeq, lastSeq } = permit.expired;
  const prove = (first: number): Promise<Slice> | null => {
    if (first > lastSeq || signal?.aborted) return null;
    const proof = proveSlice(permit, { first, rows });
    // May fail before it is awaited, during the removal of the previous slice.
    proof.catch(() => {});
    return proof;
  };
  let next = prove(firstSeq);
  try {
    while (next && !signal?.aborted) {
      const slice: Slice = await next;
      // A run may take hours, during which an alarm may be raised.
      await refuseAlarmed(orgId);
      await signThrough(permit, slice.last);
      next = prove(slice.last + 1);
      const gone = await pruneSlice(admin, orgId, slice);
      if (gone === 0) break;
      pruned.slices++;
      pruned.rows += gone;
      pruned.firstSeq ??= slice.first;
      pruned.lastSeq = slice.first + gone - 1;
      // A shorter slice was the last: it ended at a row inside the window or at the head.
      if (pruned.lastSeq < slice.last) break;
    }
  } finally {
    await next?.catch(() => {});
  }
}

/**
 * Removes expired rows of one organization's chain, and stores the time: proves each slice, signs a receipt and removes it.
 * @param pruned counts each committed slice
 * @throws NotPermitted when rows are not intact, or an alarm is open on the log, even if raised since the first slice
 * @throws PostgresError when the chain or its policy does not allow it; earlier slices stay removed
 */
export async function pruneOrganization(admin: Admin, pruned: Pruned, input: PruneInput): Promise<void> {
  const { orgId, signal } = input;
  const permit = signal?.aborted ? null : await permitPruning(orgId);
  if (permit) await pruneSlices(admin, pruned, { ...input, permit });
  if (!signal?.aborted)
    await admin.transaction((tx) =>
      tx.execute(sql`UPDATE audit_retention_policies SET last_cleanup_at = now() WHERE org_id = ${orgId}`),
    );
}
