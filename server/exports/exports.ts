import { answerOf } from "@/server/ground/answer";
import { operation } from "@/server/ground/operation";
import { noInput, onlyIdInput } from "@/server/ground/wire";
import { dropExport } from "./drop";
import { myExport, myExports } from "./export-job";
import { exportJob, exportJobs } from "./schema";

/** The caller's own exports, newest first. */
export const listExports = operation({
  permission: "audit:export",
  input: noInput,
  output: exportJobs,
  run: async (ctx) => ({ data: (await myExports(ctx)).map((row) => answerOf(exportJob, row)) }),
});

/** One of the caller's own exports, with its progress. @throws AppError not_found for another user's. */
export const getExport = operation({
  permission: "audit:export",
  input: onlyIdInput,
  output: exportJob,
  run: async (ctx, { id }) => answerOf(exportJob, await myExport(ctx, id)),
});

/** Deletes one of the caller's own exports with its file; an unfinished one stops. @throws AppError not_found */
export const removeExport = operation({
  permission: "audit:export",
  input: onlyIdInput,
  output: "empty",
  async run(ctx, { id }) {
    await dropExport(await myExport(ctx, id), { ctx, why: "It was cancelled before it was complete" });
  },
});
