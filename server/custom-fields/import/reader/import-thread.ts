import { once } from "node:events";
import { codeOf, stackOf } from "@/db/thrown";
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
import { AppError, type ErrorCode, type FieldError } from "@/server/ground/errors";
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

/** Messages from the reading process: start, rows, then the result or the error. Each batch is answered by "next". */
export type FromThread =
  | { kind: "begun" }
  | { kind: "batch"; batch: Batch }
  | { kind: "done"; answer: Answers[keyof Answers] }
  | { kind: "refused"; code: ErrorCode; message: string; errors: FieldError[] | undefined }
  | { kind: "failed"; message: string };

/** An error in serializable form. */
function fromError(error: unknown): FromThread {
  if (error instanceof AppError)
    return { kind: "refused", code: error.code, message: error.message, errors: error.extra.errors };
  // Reported to a person instead of retried: the file will not come back.
  if (codeOf(error) === "ENOENT")
    return {
      kind: "refused",
      code: "conflict",
      message: "The uploaded file is no longer stored here: choose it again.",
      errors: undefined,
    };
  return { kind: "failed", message: stackOf(error) };
}

/** Reading process: does one task and waits to be ended. A batch waits until the previous one was accepted. */
async function main(task: Task): Promise<void> {
  const send = (message: FromThread) => process.send?.(message);
  let taken: Promise<unknown> = Promise.resolve();
  const onBatch = async (batch: Batch) => {
    await taken;
    taken = once(process, "message");
    send({ kind: "batch", batch });
  };
  send({ kind: "begun" });
  try {
    const answer =
      task.kind === "preview" ? await preview(task) : await stageRows(presetOf(task.source), task.files, onBatch);
    // The end of the reading ends the transaction that receives the rows.
    await taken;
    send({ kind: "done", answer });
  } catch (error) {
    await taken;
    send(fromError(error));
  }
}

// Runs until the server ends it or exits, because the answer is sent while this process lives.
process.on("disconnect", () => process.exit());
// A stop signal reaches all processes of a service, but the server ends this one itself.
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => {});
process.once("message", (task: Task) => void main(task));
