import { operation } from "@/server/ground/operation";
import { noInput } from "@/server/ground/wire";
import { myExports, toExportJob } from "./export-job";
import { exportJobs } from "./schema";

/** The caller's own exports, newest first. */
export const listExports = operation({
  permission: "audit:export",
  input: noInput,
  output: exportJobs,
  run: async (ctx) => ({ data: (await myExports(ctx)).map(toExportJob) }),
});
