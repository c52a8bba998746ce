import { expect } from "vitest";
import { appSql } from "@/db/client";
import { searchEntries } from "@/server/audit/entries/list";
import { searchInput } from "@/server/audit/schema";
import type { Ctx } from "@/server/ground/context";
import { unhurried } from "@/testing/unhurried";

export const ACTIONS = ["user.login", "device.create", "policy.update", "Data.Export", "script.execute"];

/** Filters with one value each. */
export type Filters = {
  action?: string;
  result?: string;
  user?: string;
  actorId?: string;
  resource?: string;
  resourceId?: string;
  type?: string;
  phrase?: string;
  from?: Date;
  to?: Date;
};
export const inLists = ({ from, to, type, phrase, ...rest }: Filters) => ({
  ...(type && { resourceType: [type] }),
  ...(phrase && { phrase }),
  ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, [value]])),
  ...(from && { from }),
  ...(to && { to }),
});

/** The spec's predicate, literally, without any index. */
export async function naive(ctx: Ctx, q: string, filters: Filters = {}): Promise<string[]> {
  const like = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  const scope = ctx.scope as { orgIds: readonly string[] };
  const sql = appSql();
  return sql.begin(async (tx) => {
    await tx`SELECT set_config('trailmark.scope', 'system', true), set_config('enable_indexscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`;
    const rows = await tx<{ id: string }[]>`SELECT id FROM audit_logs WHERE org_id = ANY (${[...scope.orgIds]}::uuid[])
      AND (action ILIKE ${like(q)} OR actor_email ILIKE ${like(q)} OR resource_type ILIKE ${like(q)} OR resource_name ILIKE ${like(q)} OR details::text ILIKE ${like(q)})
      AND (${filters.action ?? null}::text IS NULL OR action ILIKE ${like(filters.action ?? "")})
      AND (${filters.result ?? null}::text IS NULL OR result = ${filters.result ?? null})
      AND (${filters.user ?? null}::text IS NULL OR actor_email ILIKE ${like(filters.user ?? "")})
      AND (${filters.resource ?? null}::text IS NULL OR resource_type ILIKE ${like(filters.resource ?? "")} OR resource_name ILIKE ${like(filters.resource ?? "")})
      AND (${filters.actorId ?? null}::text IS NULL OR actor_id::text = ${filters.actorId ?? null} OR details ->> 'rawActorId' = ${filters.actorId ?? null})
      AND (${filters.resourceId ?? null}::text IS NULL OR resource_id::text = ${filters.resourceId ?? null})
      AND (${filters.type ?? null}::text IS NULL OR resource_type = ${filters.type ?? null})
      AND (${filters.from?.toISOString() ?? null}::timestamptz IS NULL OR "timestamp" >= ${filters.from?.toISOString() ?? null})
      AND (${filters.to?.toISOString() ?? null}::timestamptz IS NULL OR "timestamp" <= ${filters.to?.toISOString() ?? null})
      ORDER BY "timestamp" DESC, chain_seq DESC, org_id DESC`;
    return rows.map((row) => row.id);
  });
}

/** Every page of a search, by cursor. */
export async function searched(ctx: Ctx, q: string, filters: Filters = {}): Promise<{ ids: string[]; total: number }> {
  const ids: string[] = [];
  let cursor: string | undefined;
  let total = -1;
  do {
    const page = await searchEntries.run(unhurried(ctx), {
      ...searchInput.parse({ q, limit: 100, cursor, skipCount: cursor !== undefined }),
      ...inLists(filters),
    }); // prettier-ignore
    expect(page.truncated).toBeUndefined();
    if (!cursor) total = page.pagination.total;
    ids.push(...page.data.map((entry) => entry.id));
    cursor = page.pagination.nextCursor ?? undefined;
  } while (cursor);
  return { ids, total };
}
