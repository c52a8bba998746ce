import { MAX_IMPORT_FILES } from "@/server/custom-fields/import/plan-schema";
import type { Ctx } from "@/server/ground/context";
import { CallerConcurrency, Concurrency, callerKey } from "@/server/ground/limits/concurrency";
import { readFiles } from "./read-files";
import type { Preview, Task } from "./tasks";

/** One thread stays for what is imported. */
const thread = new Concurrency(1);
/** Waiting: the files of two imports of one caller, each shown at once. */
const callers = new CallerConcurrency(1, { max: 2 * MAX_IMPORT_FILES, ms: 120_000 });

/**
 * The first rows of a file, in the caller's turn.
 * @throws AppError rate_limited when too many of the caller's wait, and what reading throws
 */
export const readPreview = (
  { actor, signal }: Ctx,
  file: Omit<Extract<Task, { kind: "preview" }>, "kind">,
): Promise<Preview> => {
  const read = () => readFiles({ kind: "preview", ...file });
  return callers.run(callerKey(actor), () => thread.run(read, signal), signal);
};
