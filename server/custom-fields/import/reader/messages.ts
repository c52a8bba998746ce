import { codeOf, stackOf } from "@/db/thrown";
import { AppError, type ErrorCode, type FieldError } from "@/server/ground/errors";
import type { Batch } from "./stage-rows";
import type { Answers } from "./tasks";

/** Messages from the reading process: start, rows, then the result or the error. Each batch is answered by "next". */
export type FromThread =
  | { kind: "begun" }
  | { kind: "batch"; batch: Batch }
  | { kind: "done"; answer: Answers[keyof Answers] }
  | { kind: "refused"; code: ErrorCode; message: string; errors: FieldError[] | undefined }
  | { kind: "failed"; message: string };

/** An error in serializable form. */
export function fromError(error: unknown): FromThread {
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
