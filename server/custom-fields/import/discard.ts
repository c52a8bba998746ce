import { rm } from "node:fs/promises";
import { tenant } from "@/db/client";
import { AppError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { idInput } from "@/server/ground/wire";
import { importFolder } from "./import-folder";
import { lockImport } from "./record/find";
import { deleteImport } from "./run/expire-drafts";

/** Deletes an import that has not written anything. @throws AppError not_found, conflict. */
export const discardImport = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: "empty",
  async run(ctx, { id }) {
    await tenant(ctx.scope, async (tx) => {
      const found = await lockImport(tx, ctx, id);
      if (found.job || found.startedAt)
        throw new AppError("conflict", "An import that has run is kept, so that it can be undone.");
      await deleteImport(tx, id);
    });
    await rm(importFolder(id), { recursive: true, force: true });
  },
});
