import { tenant } from "@/db/client";
import { toImportState } from "@/server/custom-fields/import/import-state";
import { lockImport } from "@/server/custom-fields/import/record/find";
import { requireIdle } from "@/server/custom-fields/import/record/require";
import { partnerScope } from "@/server/custom-fields/import/record/scope";
import { claimEdit } from "@/server/custom-fields/import/run/tables/edits";
import { notifyImports } from "@/server/custom-fields/import/run/worker";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { AppError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { applyEdit } from "./apply-edit";

/** Undoes the last change to values of the file. @throws AppError not_found; conflict when there is none. */
export const undoEdit = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  async run(ctx, { id }) {
    const row = await tenant(partnerScope(ctx), async (tx) => {
      const found = await lockImport(tx, ctx, id);
      requireIdle(found, "staged", "checked");
      const edits = found.summary.edits ?? [];
      const last = edits.at(-1);
      if (!last) throw new AppError("conflict", "There is no change to undo.");
      const parts = await claimEdit(tx, id, edits.length);
      // What was blank may have been no value at all, and must not clear one: it comes back as none.
      const back = parts.map(({ before, rowNos }) => ({ after: before || null, rowNos }));
      return applyEdit(tx, ctx, { found, column: last.column, parts: back, edits: edits.slice(0, -1) });
    });
    if (row.job) notifyImports();
    return toImportState(row);
  },
});
