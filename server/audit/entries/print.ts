import { readPage } from "@/server/audit/query/page";
import { type FullEntry, filterInput } from "@/server/audit/schema";
import { MAX_PRINTED } from "@/server/audit/vocabulary";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { toFullEntry } from "./to-entry";

/** truncated: a text too short for the index was looked for among the newest entries only. */
export type PrintedEntries = { data: FullEntry[]; total: number; truncated: boolean };

/** The newest entries of a filter, as many as are printed, and how many there are in all. */
export const listForPrint = operation({
  permission: "audit:read",
  input: filterInput,
  output: typed<PrintedEntries>(),
  async run(ctx, input) {
    const page = await readPage(ctx, { page: 1, limit: MAX_PRINTED, skipCount: false }, input);
    return {
      data: page.rows.map(toFullEntry),
      total: page.pagination.total,
      truncated: page.truncated === true,
    };
  },
});
