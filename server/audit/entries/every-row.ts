import { sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { AuditFilter } from "@/server/audit/query/conditions";
import { countRows } from "@/server/audit/query/count";
import { planFor } from "@/server/audit/query/plan";
import { rowsByKey, type Shape } from "@/server/audit/query/rows";
import type { Ctx } from "@/server/ground/context";
import { bytesOf, MAX_ROWS, nextSize, type SizedRow } from "./each-row";
import { everyKey, type Heads } from "./every-key";

/** Which entries an export is of: those that meet a filter, up to the heads; total counts them. */
export type Snapshot = { heads: Heads; total: number };

/** Where the chains within reach end now, and how many entries meet the filter. */
export const takeSnapshot = (ctx: Ctx, filter: AuditFilter): Promise<Snapshot> =>
  tenant(ctx.scope, async (tx) => {
    const plan = await planFor(tx, ctx, filter);
    const heads = await headsOf(tx, plan.orgIds);
    return { heads, total: await countRows(tx, plan) };
  });

async function headsOf(tx: Tx, orgIds: readonly string[]): Promise<Heads> {
  const rows = await rowsOf<{ org_id: string; seq: string }>(
    tx,
    sql`SELECT h.org_id, h.seq::text AS seq FROM audit_chain_heads_of(${uuids(orgIds)}) h`,
  );
  return Object.fromEntries(rows.map((row) => [row.org_id, Number(row.seq)]));
}

/**
 * Every entry of a snapshot, newest first, in chunks of which one is held at a time. Entries that retention removes in
 * between are left out. Reading a snapshot again gives the same entries.
 */
export async function* everyRow<R extends SizedRow>(
  ctx: Ctx,
  { filter, heads }: { filter: AuditFilter; heads: Heads },
  shape: Shape<R>,
): AsyncGenerator<R[]> {
  const plan = await tenant(ctx.scope, (tx) => planFor(tx, ctx, filter));
  const next = everyKey(ctx.scope, plan, heads);
  for (let size = MAX_ROWS; ; ) {
    const keys = await next(size);
    if (keys.length === 0) return;
    const rows = await tenant(ctx.scope, (tx) => rowsByKey(tx, keys, shape));
    if (rows.length === 0) continue;
    size = nextSize(rows.length, bytesOf(rows));
    yield rows;
  }
}
