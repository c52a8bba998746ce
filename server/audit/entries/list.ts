import { readPage } from "@/server/audit/query/page";
import { flatPage, fullPage, listInput } from "@/server/audit/schema";
import { operation } from "@/server/ground/operation";
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
    const { rows, ...page } = await readPage(ctx, input, input);
    return { entries: rows.map(toFlatEntry), ...page };
  },
});

/** The same page in the full format. */
export const listFullEntries = operation({
  permission: "audit:read",
  input: listInput,
  output: fullPage,
  async run(ctx, input) {
    const { rows, ...page } = await readPage(ctx, input, input);
    return { data: rows.map(toFullEntry), ...page };
  },
});
