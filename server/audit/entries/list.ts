import { readPage } from "@/server/audit/query/page";
import { entriesInput, type FullPage, flatPage, fullPage, listInput, type SearchPage } from "@/server/audit/schema";
import { operation } from "@/server/operation";
import { typed } from "@/server/wire";
import { searchEntries } from "./search";
import { toFlatEntry, toFullEntry } from "./to-entry";

/**
 * Audit entries of the caller's organizations, newest first, in the flat format of the viewer component.
 * @throws AppError validation_failed for a cursor that is none.
 */
export const listFlatEntries = operation({
  permission: "audit:read",
  input: listInput,
  output: flatPage,
  async run(ctx, input) {
    const { rows, pagination } = await readPage(ctx, input, input);
    return { entries: rows.map(toFlatEntry), pagination };
  },
});

/** The same page in the full format. */
export const listFullEntries = operation({
  permission: "audit:read",
  input: listInput,
  output: fullPage,
  async run(ctx, input) {
    const { rows, pagination } = await readPage(ctx, input, input);
    return { data: rows.map(toFullEntry), pagination };
  },
});

type EntriesPage = FullPage & Pick<SearchPage, "truncated">;

/**
 * A page of the list or, with a text, of the search; `truncated` as the search says it.
 * @throws AppError validation_failed for a cursor that is none.
 */
export const listEntries = operation({
  permission: "audit:read",
  input: entriesInput,
  output: typed<EntriesPage>(),
  run: (ctx, { q, ...input }): Promise<EntriesPage> =>
    q ? searchEntries.run(ctx, { ...input, q }) : listFullEntries.run(ctx, input),
});
