import type { ImportState } from "@/server/custom-fields/import/schema";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { start } from "./start";

/** Reads the files into the import. @throws AppError not_found, conflict. */
export const startStaging = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  run: (ctx, { id }) => start(ctx, { id, job: "stage", from: ["draft", "staged", "checked"] }),
});
