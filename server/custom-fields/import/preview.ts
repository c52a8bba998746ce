import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import type { Ctx } from "@/server/context";
import { invalid } from "@/server/errors";
import { findImport, type ImportRecord, requireIdle, type StoredFile } from "./find-import";
import { presetOf } from "./presets";
import { detectFormat } from "./read/detect-format";
import { readSource } from "./read/read-file";
import { type FileFormat, type FormatChange, PREVIEW_ROWS } from "./schema";

export type Preview = {
  format: FileFormat;
  titles: string[];
  rows: { line: number; cells: string[]; fault: string | null }[];
};
/** A long file has many rows for one computer: this many are read to show a few. */
const READ_AHEAD = 20 * PREVIEW_ROWS;

/** @throws AppError validation_failed for a file that is not there or not yet whole. */
export function fileOf(found: ImportRecord, fileNo: number): StoredFile {
  const file = found.files[fileNo];
  if (!file) throw invalid("fileNo", "there is no such file");
  if (!file.complete) throw invalid("fileNo", "the file has not arrived completely");
  return file;
}

/** Keeps how a file is to be read; what was read before no longer holds. */
async function keepFormat(ctx: Ctx, id: string, fileNo: number, format: FileFormat): Promise<void> {
  await tenant(ctx.scope, async (tx) => {
    const found = await findImport(tx, ctx, id, "update");
    requireIdle(found, "draft", "staged", "checked");
    const files = found.files.map((file, i) => (i === fileNo ? { ...file, format } : file));
    await tx
      .update(customFieldImports)
      .set({ files, status: "draft", columns: [], plan: null, totalRows: 0, error: null, updatedAt: ctx.now() })
      .where(eq(customFieldImports.id, id));
  });
}

/**
 * The first rows of a file, read by the parser that will read all of it; the format is found out at the first call and
 * kept, with the changes that a person makes.
 * @throws AppError not_found, conflict, validation_failed, payload_too_large.
 */
export async function previewFile(
  ctx: Ctx,
  input: { id: string; fileNo: number; format?: FormatChange },
): Promise<Preview> {
  const found = await tenant(ctx.scope, (tx) => findImport(tx, ctx, input.id));
  const file = fileOf(found, input.fileNo);
  const preset = presetOf(found.source);
  const kept = file.format ?? (await detectFormat(file.path, preset));
  const format = { ...kept, ...input.format };
  if (!file.format || input.format) await keepFormat(ctx, input.id, input.fileNo, format);
  const { columns, records } = readSource(file.path, format, preset, READ_AHEAD);
  const rows: Preview["rows"] = [];
  for await (const record of records) if (rows.push(record) >= PREVIEW_ROWS) break;
  return { format, titles: columns.titles, rows };
}
