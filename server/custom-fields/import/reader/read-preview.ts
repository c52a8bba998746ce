import type { Ctx } from "@/server/context";
import { MAX_IMPORT_FILES } from "@/server/custom-fields/import/limits-schema";
import { inSlot } from "@/server/limits/slots";
import { readFiles } from "./read-files";
import type { Preview, Task } from "./tasks";

/** The files of two imports, each shown at once: reading waits for a thread, which gives way to all else, not for the database. */
const SLOTS = {
  kind: "file previews",
  max: 2 * MAX_IMPORT_FILES,
  advice: "Wait until one of them is shown.",
};

/**
 * The first rows of a file, in one of the caller's slots.
 * @throws AppError rate_limited when all are taken, and what reading throws
 */
export const readPreview = ({ actor }: Ctx, file: Omit<Extract<Task, { kind: "preview" }>, "kind">): Promise<Preview> =>
  inSlot(actor, SLOTS, async (release) => {
    const preview = await readFiles({ kind: "preview", ...file });
    release();
    return preview;
  });
