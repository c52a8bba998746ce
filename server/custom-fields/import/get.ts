import { tenant } from "@/db/client";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { toImportState } from "./import-state";
import { findImport } from "./record/find";
import type { ImportState } from "./schema";

/** @throws AppError not_found */
export const getImport = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => toImportState(await findImport(tx, ctx, id)));
  },
});
