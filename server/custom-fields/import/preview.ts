import { tenant } from "@/db/client";
import { operation } from "@/server/operation";
import { typed } from "@/server/wire";
import { readFiles } from "./reader/read-files";
import type { Preview } from "./reader/tasks";
import { findImport } from "./record/find";
import { completeFile } from "./record/require";
import { fileInput } from "./schema";

/**
 * The first rows of a file, read by the parser that will read all of it, in the format that was set or is detected;
 * values that are secrets by their title or by what the file says are masked.
 * @throws AppError not_found, validation_failed, payload_too_large.
 */
export const previewFile = operation({
  permission: "custom_fields:import",
  input: fileInput,
  output: typed<Preview>(),
  async run(ctx, { id, fileNo }) {
    const found = await tenant(ctx.scope, (tx) => findImport(tx, ctx, id));
    const { path, format } = completeFile(found, fileNo);
    return readFiles({ kind: "preview", source: found.source, path, format });
  },
});
