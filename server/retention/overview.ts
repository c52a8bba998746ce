import { sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { countRows } from "@/server/audit/query/count";
import { planOf } from "@/server/audit/query/plan";
import { operation } from "@/server/ground/operation";
import { DAY_MS } from "@/server/ground/time/durations";
import { onlyIdInput } from "@/server/ground/wire";
import { requireOrganization } from "./organization";
import { rowBytes } from "./row-bytes";
import { type Overview, overview } from "./schema";

const GROWTH_DAYS = 30;

type Head = { head: string; through: string };
type Row = {
  oldest: string | null;
  newest: string | null;
};

/**
 * How much an organization's audit log holds and how fast it grows, by when entries happened. Every figure comes from
 * the chain's head, an index, the tallies or the table's statistics, none from a scan.
 * @throws AppError not_found
 */
export const getOverview = operation({
  permission: "audit:read",
  input: onlyIdInput,
  output: overview,
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      await requireOrganization(tx, ctx, id);
      const from = new Date(ctx.now().getTime() - GROWTH_DAYS * DAY_MS);
      const ms = sql`(extract(epoch FROM "timestamp") * 1000)::bigint`;
      // The head in a query of its own: where the log is distributed, a function that queries the nodes cannot be part
      // of a query that runs on them.
      const [[head], [row], recentRows] = await Promise.all([
        rowsOf<Head>(tx, sql`SELECT seq AS head, pruned_through_seq AS through FROM audit_chain_head(${id}::uuid)`),
        rowsOf<Row>(
          tx,
          sql`SELECT (SELECT ${ms} FROM audit_logs WHERE org_id = ${id} ORDER BY "timestamp" LIMIT 1) AS oldest,
        (SELECT ${ms} FROM audit_logs WHERE org_id = ${id} ORDER BY "timestamp" DESC LIMIT 1) AS newest`,
        ),
        countRows(tx, planOf({ orgIds: [id], filter: { from }, query: null })),
      ]);
      return toOverview(id, { head, row, recentRows, rowBytes: await rowBytes(tx) }, ctx.now());
    });
  },
});

type Read = { head: Head | undefined; row: Row | undefined; recentRows: number; rowBytes: number };

function toOverview(orgId: string, { head: chain, row, recentRows, rowBytes }: Read, now: Date): Overview {
  const head = Number(chain?.head ?? 0);
  const rows = Math.max(0, head - Number(chain?.through ?? 0));
  const oldest = row?.oldest ? new Date(Number(row.oldest)) : null;
  const newest = row?.newest ? new Date(Number(row.newest)) : null;
  const ageDays = oldest ? Math.max(1, (now.getTime() - oldest.getTime()) / DAY_MS) : GROWTH_DAYS;
  const days = Math.min(GROWTH_DAYS, ageDays);
  const rowsPerDay = Math.round((recentRows / days) * 10) / 10;
  return {
    orgId,
    rows,
    bytes: rows * rowBytes,
    oldestAt: oldest?.toISOString() ?? null,
    newestAt: newest?.toISOString() ?? null,
    rowsPerDay,
    growthDays: Math.floor(days),
    bytesPerDay: Math.round(rowsPerDay * rowBytes),
  };
}
