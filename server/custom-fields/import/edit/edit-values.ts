import { tenant } from "@/db/client";
import { toImportState } from "@/server/custom-fields/import/import-state";
import { presetOf } from "@/server/custom-fields/import/presets";
import { lockImport } from "@/server/custom-fields/import/record/find";
import { requireIdle } from "@/server/custom-fields/import/record/require";
import { partnerScope } from "@/server/custom-fields/import/record/scope";
import { type EditPart, insertEdit, readCells } from "@/server/custom-fields/import/run/tables/edits";
import { notifyImports } from "@/server/custom-fields/import/run/worker";
import { type Edit, editInput, type ImportState } from "@/server/custom-fields/import/schema";
import { MAX_TEXT_VALUE } from "@/server/custom-fields/schema";
import { AppError, invalid } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { applyEdit } from "./apply-edit";

/** What is read to find the cells of a change. */
const wanted = (edit: Edit) =>
  edit.kind === "cell"
    ? { column: edit.column, match: "row" as const, find: String(edit.rowNo) }
    : { column: edit.column, match: edit.match, find: edit.find };

const refusal = (path: string, message: string) =>
  new AppError("validation_failed", message, { errors: [{ path, message }] });

/**
 * A value after the change: a part of it replaced, or all of it.
 * @throws AppError validation_failed where a value would become longer than a field takes: a cell of the file may be.
 */
function afterOf(edit: Edit, before: string): string {
  if (edit.kind === "cell") return edit.value;
  if (edit.match === "cell") return edit.replace;
  const parts = before.split(edit.find);
  const length = before.length + (parts.length - 1) * (edit.replace.length - edit.find.length);
  if (length > Math.max(before.length, MAX_TEXT_VALUE))
    throw refusal(
      "edit.replace",
      `A value would become longer than ${MAX_TEXT_VALUE} characters. Nothing was changed.`,
    );
  return parts.join(edit.replace);
}

/**
 * Puts values of the file right where they are: one cell, or every cell of a column that is or contains a text. The
 * uploaded file stays as it is; each change can be undone.
 * @throws AppError not_found; conflict for a row that could not be read or when nothing would change; validation_failed.
 */
export const editValues = operation({
  permission: "custom_fields:import",
  input: editInput,
  output: typed<ImportState>(),
  async run(ctx, { id, edit }) {
    const row = await tenant(partnerScope(ctx), async (tx) => {
      const found = await lockImport(tx, ctx, id);
      requireIdle(found, "staged", "checked");
      if (!found.columns[edit.column]) throw invalid("edit.column", "is not a column of the file");
      if (edit.kind === "replace" && edit.match === "part" && edit.find === "")
        throw refusal("edit.find", "Say which text to replace.");
      const { cleanCell } = presetOf(found.source);
      const cells = await readCells(tx, id, wanted(edit));
      const parts = cells.flatMap(({ before, rowNos }): EditPart[] => {
        const after = cleanCell(afterOf(edit, before));
        return after === before ? [] : [{ before, after, rowNos }];
      });
      if (parts.length === 0) throw new AppError("conflict", "No value of this column would change.");
      const before = found.summary.edits ?? [];
      const rows = parts.reduce((sum, { rowNos }) => sum + rowNos.length, 0);
      const edits = [...before, { column: edit.column, rows }];
      await insertEdit(tx, found, { editNo: edits.length, column: edit.column, parts });
      return applyEdit(tx, ctx, { found, column: edit.column, parts, edits });
    });
    if (row.job) notifyImports();
    return toImportState(row);
  },
});
