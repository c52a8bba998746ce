import { readPage } from "@/server/audit/query/page";
import { searchInput, searchPage } from "@/server/audit/schema";
import { operation } from "@/server/ground/operation";
import { toFullEntry } from "./to-entry";

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
  async run(ctx, { q, ...input }) {
    const { rows, ...page } = await readPage(ctx, input, { ...input, phrase: q });
    return { data: rows.map(toFullEntry), query: q, ...page };
  },
});
