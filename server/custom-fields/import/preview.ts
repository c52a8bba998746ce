import { tenant } from "@/db/client";
import { inFairShare } from "@/server/ground/limits/fair-share";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { readPreview } from "./reader/read-preview";
import type { Preview } from "./reader/tasks";
import { findImport } from "./record/find";
import { completeFile } from "./record/require";
import { fileInput } from "./schema";

/**
 * The first rows of a file, read by the parser that will read all of it, in the format that was set or is detected;
 * values that are secrets by their title or by what the file says are masked.
 * @throws AppError not_found, validation_failed, payload_too_large, rate_limited.
 */
export const previewFile = operation({
  permission: "custom_fields:import",
  input: fileInput,
  output: typed<Preview>(),
  waits: true,
  async run(ctx, { id, fileNo }) {
    const find = () => tenant(ctx.scope, (tx) => findImport(tx, ctx, id));
    const found = await inFairShare(ctx, find);
    const { path, format } = completeFile(found, fileNo);
    return readPreview(ctx, { source: found.source, path, format });
  },
});
