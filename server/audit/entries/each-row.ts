import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { tenantRead } from "@/db/read";
import { rowsOf } from "@/db/rows";
import { type AuditFilter, conditionsOf } from "@/server/audit/query/conditions";
import { countRows } from "@/server/audit/query/count";
import { planFor } from "@/server/audit/query/plan";
import { type Cursor, type Key, newestRows, rowsByKey, type Shape } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import type { Ctx } from "@/server/ground/context";

/** Rows and bytes of details that are read at a time; twice as much is held, being read and being written. */
export const MAX_ROWS = 500;
const CHUNK_BYTES = 512 * 1024;

/** How many rows to read next, after so many of so many bytes. */
export const nextSize = (rows: number, bytes: number): number =>
  Math.max(1, Math.min(MAX_ROWS, Math.floor((CHUNK_BYTES * rows) / (bytes + 1))));

/**
 * Rows that are settled: by their keys, or as those of one chain that meet conditions and were there at the time. Rows
 * never change, so both stay what they are regardless of later writes.
 */
export type Settled = { keys: readonly Key[] } | { orgId: string; conditions: SQL[]; max: number };

async function headOf(tx: Tx, orgId: string): Promise<SQL> {
  const [head] = await rowsOf<{ seq: string }>(tx, sql`SELECT seq FROM audit_chain_head(${orgId}::uuid)`);
  return sql`a.chain_seq <= ${head?.seq ?? 0}::bigint`;
}

/**
 * Which rows meet a filter, settled in one snapshot, found as the lists find them: so an export equals its screen.
 * @returns the newest `max`, and how many rows meet it in all
 */
export const settleRows = (ctx: Ctx, filter: AuditFilter, max: number): Promise<{ rows: Settled; total: number }> =>
  tenantRead(ctx.scope, async (tx) => {
    const plan = await planFor(tx, ctx, filter);
    const [orgId] = plan.orgIds;
    if (plan.all.kind === "rows" && plan.orgIds.length === 1 && orgId) {
      const conditions = [...conditionsOf(plan.filter), await headOf(tx, orgId)];
      return { rows: { orgId, conditions, max }, total: await countRows(tx, plan) };
    }
    const { keys } = await findKeys(tx, plan, { need: max + 1 });
    const total = keys.length > max ? Math.max(keys.length, await countRows(tx, plan)) : keys.length;
    return { rows: { keys: keys.slice(0, max) }, total };
  });

export type SizedRow = { org_id: string; ms: number; chain_seq: string; details: string | null };

/** Bytes of details: what makes rows large. */
export const bytesOf = (rows: SizedRow[]): number => rows.reduce((sum, row) => sum + (row.details?.length ?? 0), 0);

/** Reads chunk after chunk: each call returns the next `size` rows, fewer or none at the end. */
function reader<R extends SizedRow>(
  tx: (fn: (tx: Tx) => Promise<R[]>) => Promise<R[]>,
  rows: Settled,
  shape: Shape<R>,
) {
  let at = 0;
  let after: Cursor | undefined;
  return async (size: number): Promise<R[]> => {
    if ("keys" in rows) {
      const keys = rows.keys.slice(at, at + size);
      at += size;
      return keys.length === 0 ? [] : tx((t) => rowsByKey(t, keys, shape));
    }
    const limit = Math.min(size, rows.max - at);
    if (limit <= 0) return [];
    const { orgId, conditions } = rows;
    const found = await tx((t) => newestRows(t, { orgIds: [orgId], conditions, after, limit, shape }));
    const last = found.at(-1);
    at = found.length < limit ? rows.max : at + limit;
    after = last && { ms: last.ms, seq: last.chain_seq, orgId };
    return found;
  };
}

/**
 * Settled rows in chunks; the next one is read while the last one is written. Each chunk has its own transaction, so a
 * slow client holds no connection. Rows that retention removes in between are left out.
 */
export async function* eachChunk<R extends SizedRow>(ctx: Ctx, rows: Settled, shape: Shape<R>): AsyncGenerator<R[]> {
  const read = reader((fn) => tenantRead(ctx.scope, fn), rows, shape);
  const next = (size: number): Promise<R[]> => {
    const chunk = read(size);
    chunk.catch(() => {}); // Whoever awaits the chunk gets the error; when the client has gone nobody does.
    return chunk;
  };
  for (let coming = next(MAX_ROWS); ; ) {
    const chunk = await coming;
    if (chunk.length === 0) return;
    coming = next(nextSize(chunk.length, bytesOf(chunk)));
    yield chunk;
  }
}
