import { rejectedColumns } from "@/server/custom-fields/import/columns/rejected-columns";
import { operation } from "@/server/ground/operation";
import { idInput } from "@/server/ground/wire";
import { download } from "./download";

/** CSV of the rows that were not applied, in the original columns plus the reason, streamed. */
export const downloadRejected = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: "stream",
  run: (ctx, { id }) => download(ctx, { id, what: "not-applied", columnsOf: rejectedColumns }),
});
