import type { ImportState } from "@/server/custom-fields/import/schema";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { start } from "./start";

/**
 * Undoes what a finished or cancelled run wrote, where nothing changed since: as many values change as in the run, so it
 * asks for as recent a proof.
 * @throws AppError not_found, conflict, step_up_required
 */
export const startUndo = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  stepUp: () => true,
  run: (ctx, { id }) => start(ctx, { id, job: "undo", from: ["done", "cancelled"] }),
});
