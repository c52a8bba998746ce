import { isMasked, namesSecret } from "@/server/custom-fields/import/normalise";
import { PREVIEW_ROWS } from "@/server/custom-fields/import/plan-schema";
import { presetOf } from "@/server/custom-fields/import/presets";
import { type Detected, detect } from "@/server/custom-fields/import/read/detect-format";
import type { FileFormat } from "@/server/custom-fields/import/read/file-schema";
import { createNotes } from "@/server/custom-fields/import/read/notes";
import type { SourceRecord } from "@/server/custom-fields/import/read/pivot";
import type { SourceCell } from "@/server/custom-fields/import/read/read-delimited";
import { readSource } from "@/server/custom-fields/import/read/read-file";
import { MASK } from "@/server/custom-fields/schema";
import { type Batch, type GivenFile, type Staged, stageRows } from "./stage-rows";

/** Tasks of the reading process. format is a person's choice, or null to detect it. */
type PreviewTask = { kind: "preview"; source: string; path: string; format: FileFormat | null };
type StageTask = { kind: "stage"; source: string; files: readonly GivenFile[] };
export type Task = PreviewTask | StageTask;

/** First rows of a file. headerDoubts: its header may be a row of values, and no person has decided yet. */
export type Preview = Omit<Detected, "encodingGuess"> & {
  titles: string[];
  rows: { line: number; cells: string[]; fault: string | null }[];
  notes: string[];
};
export type Answers = { preview: Preview; stage: Staged };

/** A long file has many rows per computer, so this many are read to show a few. */
const READ_AHEAD = 20 * PREVIEW_ROWS;

async function preview({ source, path, format: given }: PreviewTask): Promise<Preview> {
  const preset = presetOf(source);
  const { encodingGuess, ...detected } = await detect(path, preset);
  const format = given ?? detected.format;
  const isOtherEncoding = format.encoding !== detected.format.encoding;
  const notes = createNotes();
  const { columns, records } = readSource(path, { format, preset, limit: READ_AHEAD, notes });
  const rows: SourceRecord[] = [];
  for await (const record of records) if (rows.push(record) >= PREVIEW_ROWS) break;
  const isSecret = columns.all.map(({ title, declared }) => declared?.secret || namesSecret(title));
  const shown = (cell: SourceCell, i: number) => (cell && (isSecret[i] || isMasked(cell)) ? MASK : (cell ?? ""));
  return {
    format,
    sheets: detected.sheets,
    headerDoubts: given?.isHeaderSaid ? [] : detected.headerDoubts,
    titles: columns.titles,
    rows: rows.map((row) => ({ ...row, cells: row.cells.map(shown) })),
    notes: [...(encodingGuess && !isOtherEncoding ? [encodingGuess] : []), ...notes.toTexts()],
  };
}

/** Runs a task; staged rows go to `onBatch`, which applies backpressure. @throws AppError the errors of reading. */
export function runTask(task: Task, onBatch: (batch: Batch) => Promise<void>): Promise<Answers[keyof Answers]> {
  return task.kind === "preview" ? preview(task) : stageRows(presetOf(task.source), task.files, onBatch);
}
