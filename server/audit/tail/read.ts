import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import { type AuditFilter, conditionsOf } from "@/server/audit/query/conditions";
import { toRowFilter } from "@/server/audit/query/plan";
import { allOf, ENTRY, rowsBetween, withNames } from "@/server/audit/query/rows";
import type { FullEntry } from "@/server/audit/schema";
import type { Ctx, Scope } from "@/server/ground/context";
import { env } from "@/server/ground/env";

/** A piece of an organization's chain: the rows after one sequence through another. */
export type Span = { orgId: string; after: number; through: number };

/** How long a piece is kept for other readers of the same: one poll wakes them, in the same moment. */
const KEPT_MS = 1_000;

/** The pieces as rows `o(id, after, through)`; where the tables are distributed, each at its own node. */
function sourcesOf(spans: readonly Span[]): SQL[] {
  if (env().TRAILMARK_CITUS)
    return spans.map(
      ({ orgId, after, through }) =>
        sql`(SELECT ${orgId}::uuid, ${after}::bigint, ${through}::bigint) AS o(id, after, through)`,
    );
  const column = (name: keyof Span) => sql.param(spans.map((span) => span[name]));
  return [
    sql`unnest(${column("orgId")}::uuid[], ${column("after")}::bigint[], ${column("through")}::bigint[]) AS o(id, after, through)`,
  ];
}

async function read(scope: Scope, filter: AuditFilter, spans: readonly Span[]): Promise<FullEntry[]> {
  const orgIds = [...new Set(spans.map((span) => span.orgId))];
  const rows = await tenant(scope, async (tx) => {
    const where = allOf(conditionsOf(await toRowFilter(tx, { scope, orgIds, filter })));
    const from = (source: SQL) =>
      sql`SELECT ${ENTRY.columns} FROM ${source}, ${rowsBetween(sql`o.after`, sql`o.through`)} WHERE ${where}`;
    const found = await Promise.all(sourcesOf(spans).map((source) => withNames(tx, from(source), ENTRY)));
    return found.flat();
  });
  return rows.map(toFullEntry).sort((a, b) => a.chainSeq - b.chainSeq);
}

/** Reads as whom and for what: what row level security sees belongs to it. */
const keyOf = (...parts: unknown[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

const kept = new Map<string, Promise<FullEntry[]>>();

/**
 * The sealed rows of some pieces that answer a filter, each chain in its order. Readers with the same reach who ask
 * the same of the same pieces share one query.
 */
export function readSpans({ scope }: Ctx, filter: AuditFilter, spans: readonly Span[]): Promise<FullEntry[]> {
  const key = keyOf(scope, filter, spans);
  const found = kept.get(key);
  if (found) return found;
  const reading = read(scope, filter, spans);
  kept.set(key, reading);
  const forget = () => setTimeout(() => kept.delete(key), KEPT_MS).unref();
  reading.then(forget, () => kept.delete(key));
  return reading;
}
