import { tenant } from "@/db/client";
import { operation } from "@/server/operation";
import { typed } from "@/server/wire";
import { completeFile, findImport } from "./find-import";
import { presetOf } from "./presets";
import { detectFormat } from "./read/detect-format";
import { readSource } from "./read/read-file";
import { type FileFormat, fileInput, PREVIEW_ROWS } from "./schema";

export type Preview = {
  format: FileFormat;
  titles: string[];
  rows: { line: number; cells: string[]; fault: string | null }[];
};
/** A long file has many rows for one computer: this many are read to show a few. */
const READ_AHEAD = 20 * PREVIEW_ROWS;

/**
 * The first rows of a file, read by the parser that will read all of it, in the format that was set or is detected.
 * @throws AppError not_found, validation_failed, payload_too_large.
 */
export const previewFile = operation({
  permission: "custom_fields:import",
  input: fileInput,
  output: typed<Preview>(),
  async run(ctx, { id, fileNo }) {
    const found = await tenant(ctx.scope, (tx) => findImport(tx, ctx, id));
    const file = completeFile(found, fileNo);
    const preset = presetOf(found.source);
    const format = file.format ?? (await detectFormat(file.path, preset));
    const { columns, records } = readSource(file.path, { format, preset, limit: READ_AHEAD });
    const rows: Preview["rows"] = [];
    for await (const record of records) if (rows.push(record) >= PREVIEW_ROWS) break;
    return { format, titles: columns.titles, rows };
  },
});
