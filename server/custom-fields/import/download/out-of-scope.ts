import { tenant } from "@/db/client";
import { isImportable, sourceType } from "@/server/custom-fields/import/plan-schema";
import { findImport } from "@/server/custom-fields/import/record/find";
import { toCsv } from "@/server/ground/csv";
import { operation } from "@/server/ground/operation";
import { idInput } from "@/server/ground/wire";
import { csvResponse, fileNameOf } from "./download";

/** CSV of the location-scope and client-scope fields, to be created by hand as organization-level fields. */
export const downloadOutOfScope = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: "stream",
  async run(ctx, { id }) {
    const found = await tenant(ctx.scope, (tx) => findImport(tx, ctx, id));
    const rows = found.columns
      .filter((column) => !isImportable(column))
      .map((column) => [
        column.title,
        column.declared?.scope,
        sourceType(column) ?? "",
        column.declared?.options?.join("|") ?? "",
        column.declared?.section ?? "",
      ]);
    return csvResponse(
      `\ufeff${toCsv([["Title", "Scope", "Type", "Options", "Section"], ...rows])}`,
      fileNameOf(found, "other-scopes"),
    );
  },
});
