import { operation } from "@/server/ground/operation";
import { onlyIdInput } from "@/server/ground/wire";
import { dropExport } from "./drop";
import { myExport } from "./export-job";

/** Deletes one of the caller's own exports with its file; one that is under way ends. @throws AppError not_found */
export const removeExport = operation({
  permission: "audit:export",
  input: onlyIdInput,
  output: "empty",
  async run(ctx, { id }) {
    await dropExport(await myExport(ctx, id), { ctx, why: "It was cancelled before it was complete" });
  },
});
