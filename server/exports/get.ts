import { operation } from "@/server/ground/operation";
import { onlyIdInput } from "@/server/ground/wire";
import { myExport, toExportJob } from "./export-job";
import { exportJob } from "./schema";

/** One of the caller's own exports, with its progress. @throws AppError not_found for another user's. */
export const getExport = operation({
  permission: "audit:export",
  input: onlyIdInput,
  output: exportJob,
  run: async (ctx, { id }) => toExportJob(await myExport(ctx, id)),
});
