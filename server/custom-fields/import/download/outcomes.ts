import { outcomeColumns } from "@/server/custom-fields/import/columns/outcome-columns";
import { operation } from "@/server/ground/operation";
import { idInput } from "@/server/ground/wire";
import { download } from "./download";

/** CSV of every row with its outcome, streamed. @throws AppError not_found; conflict before anything is mapped. */
export const downloadOutcomes = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: "stream",
  run: (ctx, { id }) => download(ctx, { id, what: "outcomes", columnsOf: outcomeColumns }),
});
