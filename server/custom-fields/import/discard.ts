import { rm } from "node:fs/promises";
import { eq, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import { AppError } from "@/server/errors";
import { operation } from "@/server/operation";
import { idInput } from "@/server/wire";
import { lockImport } from "./find-import";
import { importFolder } from "./import-folder";

async function deleteRows(tx: Tx, id: string): Promise<void> {
  for (const table of ["rows", "results", "changes", "edits"])
    await tx.execute(sql`DELETE FROM ${sql.identifier(`custom_field_import_${table}`)} WHERE import_id = ${id}::uuid`);
  await tx.delete(customFieldImports).where(eq(customFieldImports.id, id));
}

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
      await deleteRows(tx, id);
    });
    await rm(importFolder(id), { recursive: true, force: true });
  },
});
