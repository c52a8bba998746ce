import { eq, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { organizations, streamPositions } from "@/db/schema";
import { readHeads } from "@/server/audit/tail/watch";
import type { StreamRow } from "./stream";

/** Start of a stream: the next entry, the oldest, or the first at or after a time. */
export type Start = "now" | "beginning" | Date;

async function firstSince(tx: Tx, orgIds: readonly string[], at: Date): Promise<Map<string, number>> {
  const rows = await rowsOf<{ orgId: string; seq: number }>(
    tx,
    sql`SELECT o.id AS "orgId", n.seq::float8 AS seq FROM ${layout().eachOf(orgIds)}, LATERAL (
        SELECT min(a.chain_seq) AS seq FROM audit_logs a
        WHERE a.org_id = o.id AND a."timestamp" >= ${at.toISOString()}::timestamptz) n
      WHERE n.seq IS NOT NULL`,
  );
  return new Map(rows.map(({ orgId, seq }) => [orgId, seq]));
}

/** Sets a new stream's start in each existing chain. Later chains are carried from their first entry. */
export async function placeAtStart(tx: Tx, { id: streamId, orgId, partnerId }: StreamRow, start: Start): Promise<void> {
  const of = orgId ? eq(organizations.id, orgId) : eq(organizations.partnerId, partnerId);
  const orgIds = (await tx.select({ id: organizations.id }).from(organizations).where(of)).map(({ id }) => id);
  const heads = new Map((await readHeads(tx, orgIds)).map((head) => [head.orgId, head]));
  const since = start instanceof Date ? await firstSince(tx, orgIds, start) : null;
  const throughOf = (org: string): number => {
    const { seq = 0, prunedThrough = 0 } = heads.get(org) ?? {};
    if (start === "now") return seq;
    return since ? (since.get(org) ?? seq + 1) - 1 : prunedThrough;
  };
  const rows = orgIds.map((org) => {
    const through = throughOf(org);
    return { streamId, orgId: org, throughSeq: through, scannedSeq: through };
  });
  if (rows.length > 0) await tx.insert(streamPositions).values(rows).onConflictDoNothing();
}
