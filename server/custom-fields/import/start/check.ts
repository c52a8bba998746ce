import type { ImportState } from "@/server/custom-fields/import/schema";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { start } from "./start";

/** Starts the dry run. @throws AppError not_found, conflict; validation_failed with the plan's faults. */
export const startCheck = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  run: (ctx, { id }) => start(ctx, { id, job: "check", from: ["staged", "checked"] }),
});
