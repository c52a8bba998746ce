import { tenant } from "@/db/client";
import { paginate, readPage, startOf } from "@/server/audit/query/page";
import { ENTRY, reachedBy, rowsByKey } from "@/server/audit/query/rows";
import { scanKeys } from "@/server/audit/query/search-scan";
import { type SearchInput, type SearchPage, searchInput, searchPage } from "@/server/audit/schema";
import { MIN_INDEXED_TERM } from "@/server/audit/vocabulary";
import type { Ctx } from "@/server/context";
import { operation } from "@/server/operation";
import { toFullEntry } from "./to-entry";

const SHORTENED = { truncated: true } as const;
/** Half of what an answer to a short term may take; the rest is for a loaded machine. */
const SCAN_MS = 250;

/**
 * A term of one or two characters: the newest rows, as many as the time allows. total counts the matches among them, a
 * page that the time cut short continues at its cursor.
 */
async function searchNewest(ctx: Ctx, input: SearchInput): Promise<SearchPage> {
  const { after, offset } = startOf(input);
  return tenant(ctx.scope, async (tx) => {
    const orgIds = await reachedBy(tx, ctx.scope);
    const end = offset + input.limit;
    const need = input.skipCount ? end + 1 : Number.POSITIVE_INFINITY;
    const deadline = performance.now() + SCAN_MS;
    const { keys, rest } = await scanKeys(tx, { orgIds, filter: input }, { after, need, deadline });
    const rows = await rowsByKey(tx, keys.slice(offset, end), ENTRY);
    const last = keys.length > end ? keys[end - 1] : rest;
    const pagination = paginate(input, input.skipCount ? -1 : keys.length, last ?? null);
    return { data: rows.map(toFullEntry), query: input.q, pagination, ...(rest && SHORTENED) };
  });
}

/**
 * Full-text search (spec, GET /audit-logs/search): a term anywhere in action, actor email, resource type, resource name or
 * details, without regard to case, wildcards literal, together with the common filters. Exact for terms of three and more
 * characters; `truncated` where a shorter one was looked for among the newest rows only.
 * @throws AppError validation_failed for a cursor that is none.
 */
export const searchEntries = operation({
  permission: "audit:read",
  input: searchInput,
  output: searchPage,
  async run(ctx, input) {
    if ([...input.q].length < MIN_INDEXED_TERM) return searchNewest(ctx, input);
    const { rows, pagination } = await readPage(ctx, input, input);
    return { data: rows.map(toFullEntry), query: input.q, pagination };
  },
});
