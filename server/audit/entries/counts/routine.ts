import { sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { boundsOf } from "@/server/audit/query/bounds";
import { type AuditFilter, conditionsOf } from "@/server/audit/query/conditions";
import { countRows } from "@/server/audit/query/count";
import { planFor } from "@/server/audit/query/plan";
import { ACTOR_ID, decodeCursor, instants, type Key, keyRows } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { MAX_FOLDED_ROWS, type RoutineFold, routineFolds, routineInput } from "./facets-schema";
import { edgesOf } from "./histogram";

type Day = { first: number; last: number; n: number; actors: number };
const iso = (ms: number): string => new Date(ms).toISOString();

/** Groups entries by the day of a zone, newest first. */
async function byDay(tx: Tx, keys: readonly (Key & { ms: number })[], zone: string): Promise<RoutineFold[]> {
  const [newest, oldest] = [keys[0], keys.at(-1)];
  if (!newest || !oldest) return [];
  const days = edgesOf(oldest.ms, newest.ms, { step: { unit: "day", n: 1 }, zone });
  const found = await rowsOf<Day>(
    tx,
    sql`SELECT (extract(epoch FROM min(a."timestamp")) * 1000)::float8 AS first, (extract(epoch FROM max(a."timestamp")) * 1000)::float8 AS last,
        count(*)::int AS n, count(DISTINCT ${ACTOR_ID})::int AS actors
      FROM ${layout().rowsAt(keyRows(keys))}
      GROUP BY width_bucket(a."timestamp", ${instants(days)}) ORDER BY 1 DESC`,
  );
  return found.map(({ first, last, n, actors }) => ({ count: n, first: iso(first), last: iso(last), actors }));
}

/** Folds every match of a filter into one; null if there is none. */
async function inOne(tx: Tx, ctx: Ctx, filter: AuditFilter): Promise<RoutineFold | null> {
  const plan = await planFor(tx, ctx, filter);
  const count = await countRows(tx, plan);
  if (count === 0) return null;
  const { first, last } = await boundsOf(tx, plan.orgIds, conditionsOf(plan.filter));
  return first === null || last === null ? null : { count, first: iso(first), last: iso(last), actors: null };
}

const latest = (...dates: (Date | undefined)[]): Date | undefined =>
  dates.reduce((a, b) => (a && b ? (a > b ? a : b) : (a ?? b)));
const earliest = (...dates: (Date | undefined)[]): Date | undefined =>
  dates.reduce((a, b) => (a && b ? (a < b ? a : b) : (a ?? b)));

/**
 * Routine telemetry hidden from one page of a list (`routine: "without"`), folded by the reader's day: count, first and
 * last entry. Consecutive pages share no entry and skip none. Beyond MAX_FOLDED_ROWS the older entries are one fold,
 * still counted.
 * @throws AppError validation_failed for an invalid cursor.
 */
export const foldRoutine = operation({
  permission: "audit:read",
  input: routineInput,
  output: routineFolds,
  async run(ctx, { zone, cursor, through, ...asked }) {
    const before = cursor === undefined ? undefined : new Date(decodeCursor(cursor).ms - 1);
    const filter = {
      ...asked,
      routine: "only" as const,
      from: latest(asked.from, through),
      to: earliest(asked.to, before),
    };
    if (filter.from && filter.to && filter.from > filter.to) return { folds: [] };
    return tenant(ctx.scope, async (tx) => {
      const plan = await planFor(tx, ctx, filter);
      const { keys } = await findKeys(tx, plan, { need: MAX_FOLDED_ROWS + 1 });
      if (keys.length <= MAX_FOLDED_ROWS) return { folds: await byDay(tx, keys, zone) };
      // Entries of the same instant stay together.
      const cut = keys.at(-1)?.ms ?? 0;
      const newer = keys.filter(({ ms }) => ms > cut);
      const rest = await inOne(tx, ctx, { ...filter, to: new Date(cut) });
      return { folds: [...(await byDay(tx, newer, zone)), ...(rest ? [rest] : [])] };
    });
  },
});
