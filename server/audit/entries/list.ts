import { readPage } from "@/server/audit/query/page";
import type { EntriesInput, FlatPage, FullPage, ListInput, SearchPage } from "@/server/audit/schema";
import type { Ctx } from "@/server/context";
import { searchEntries } from "./search";
import { toFlatEntry, toFullEntry } from "./to-entry";

/**
 * Audit entries of the caller's organizations, newest first, in the flat format of the viewer component.
 * @throws AppError validation_failed for a cursor that is none.
 */
export async function listFlatEntries(ctx: Ctx, input: ListInput): Promise<FlatPage> {
  const { rows, pagination } = await readPage(ctx, input, input);
  return { entries: rows.map(toFlatEntry), pagination };
}

/** The same page in the full format. */
export async function listFullEntries(ctx: Ctx, input: ListInput): Promise<FullPage> {
  const { rows, pagination } = await readPage(ctx, input, input);
  return { data: rows.map(toFullEntry), pagination };
}

/**
 * A page of the list or, with a text, of the search; `truncated` as the search says it.
 * @throws AppError validation_failed for a cursor that is none.
 */
export const listEntries = (
  ctx: Ctx,
  { q, ...input }: EntriesInput,
): Promise<FullPage & Pick<SearchPage, "truncated">> =>
  q ? searchEntries(ctx, { ...input, q }) : listFullEntries(ctx, input);
