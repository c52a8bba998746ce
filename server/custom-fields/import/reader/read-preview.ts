import { MAX_IMPORT_FILES } from "@/server/custom-fields/import/plan-schema";
import type { Ctx } from "@/server/ground/context";
import { callerKey, FairShare } from "@/server/ground/limits/fair-share";
import { readFiles } from "./read-files";
import type { Preview, Task } from "./tasks";

/** Reading waits for a thread, which gives way to all else, not for the database: previews have a share of their own. */
const previews = new FairShare(
  // One thread stays for what is imported. Waiting: the files of two imports of one caller, each shown at once.
  { total: 1, perCaller: 1, waiting: 2 * MAX_IMPORT_FILES, waitMs: 120_000 },
  () => 0,
);

/**
 * The first rows of a file, in the caller's turn.
 * @throws AppError rate_limited when too many of the caller's wait, and what reading throws
 */
export const readPreview = (
  { actor, signal }: Ctx,
  file: Omit<Extract<Task, { kind: "preview" }>, "kind">,
): Promise<Preview> => previews.run(callerKey(actor), () => readFiles({ kind: "preview", ...file }), signal);
