import { AppError, type ErrorCode, type FieldError } from "@/server/errors";
import type { Answers, Batch } from "./tasks";

/** From the reading thread: rows, then the answer or why there is none. A batch is answered by "next". */
export type FromThread =
  | { kind: "batch"; batch: Batch }
  | { kind: "done"; answer: Answers[keyof Answers] }
  | { kind: "refused"; code: ErrorCode; message: string; errors: FieldError[] | undefined }
  | { kind: "failed"; message: string };

/** An error in a form that survives the way between threads. */
export const fromError = (error: unknown): FromThread =>
  error instanceof AppError
    ? { kind: "refused", code: error.code, message: error.message, errors: error.extra.errors }
    : { kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
