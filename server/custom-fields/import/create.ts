import { rm } from "node:fs/promises";
import { and, desc, eq, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/context";
import { AppError } from "@/server/errors";
import { newId } from "@/server/ids";
import { findImport, type ImportRecord, ownImports, partnerScope, toImportState } from "./find-import";
import { presetOf } from "./presets";
import type { ImportEntry, ImportFile, ImportState, ImportStatus } from "./schema";
import { importFolder } from "./upload";

const LISTED = 50;

/** @throws AppError forbidden: an import needs a person whose reach is asked again while it runs. */
function personOf(ctx: Ctx): { id: string; name: string } {
  if (ctx.actor.type !== "user") throw new AppError("forbidden", "Only a person can import custom fields.");
  return { id: ctx.actor.id, name: ctx.actor.name };
}

/** Begins an import from a source product. Nothing is audited before it writes anything. */
export async function createImport(ctx: Ctx, { source }: { source: string }): Promise<ImportState> {
  const scope = partnerScope(ctx);
  const person = personOf(ctx);
  const preset = presetOf(source);
  const [row] = await tenant(scope, (tx) =>
    tx
      .insert(customFieldImports)
      .values({
        id: newId(),
        partnerId: scope.partnerId,
        orgIds: [...scope.orgIds],
        createdBy: person.id,
        createdByName: person.name,
        source: preset.id,
      })
      .returning(),
  );
  return toImportState(row as unknown as ImportRecord);
}

/** @throws AppError not_found */
export function getImport(ctx: Ctx, { id }: { id: string }): Promise<ImportState> {
  return tenant(ctx.scope, async (tx) => toImportState(await findImport(tx, ctx, id)));
}

/** The newest imports within the caller's reach, without their columns and mappings, which are large. */
export async function listImports(ctx: Ctx): Promise<ImportEntry[]> {
  const scope = partnerScope(ctx);
  const { id, source, status, createdByName, createdAt, totalRows, files } = customFieldImports;
  const shown = { id, source, status, createdByName, createdAt, totalRows, files };
  const rows = await tenant(scope, (tx) =>
    tx.select(shown).from(customFieldImports).where(ownImports(scope)).orderBy(desc(createdAt)).limit(LISTED),
  );
  return rows.map(({ files, status, createdAt, ...row }) => ({
    ...row,
    status: status as ImportStatus,
    createdAt: createdAt.toISOString(),
    fileNames: (files as ImportFile[]).map((file) => file.name),
  }));
}

async function deleteRows(tx: Tx, id: string): Promise<void> {
  for (const table of ["rows", "results", "changes"])
    await tx.execute(sql`DELETE FROM ${sql.identifier(`custom_field_import_${table}`)} WHERE import_id = ${id}::uuid`);
  await tx.delete(customFieldImports).where(eq(customFieldImports.id, id));
}

/** Throws away an import that has not written anything. @throws AppError not_found, conflict. */
export async function discardImport(ctx: Ctx, { id }: { id: string }): Promise<undefined> {
  await tenant(ctx.scope, async (tx) => {
    const found = await findImport(tx, ctx, id, "update");
    if (found.job || found.startedAt)
      throw new AppError("conflict", "An import that has run is kept, so that it can be undone.");
    await deleteRows(tx, id);
  });
  await rm(importFolder(id), { recursive: true, force: true });
}

/**
 * Asks the import's background work to stop: after the rows at hand a run is cancelled, with what it wrote kept (it can
 * be undone); anything else goes back to where it was.
 */
export async function cancelImport(ctx: Ctx, { id }: { id: string }): Promise<ImportState> {
  const row = await tenant(ctx.scope, async (tx) => {
    const found = await findImport(tx, ctx, id, "update");
    if (!found.job) return found;
    const where = and(eq(customFieldImports.id, id));
    const [changed] = await tx.update(customFieldImports).set({ cancelRequested: true }).where(where).returning();
    return changed as unknown as ImportRecord;
  });
  if (row.job === "apply" && row.cancelRequested)
    record(ctx, {
      action: "custom_fields.import.cancel",
      orgId: ctx.homeOrgId,
      resourceType: "custom_field_import",
      resourceId: row.id,
      details: { source: row.source, rowsDone: row.jobDone, rows: row.totalRows },
    });
  return toImportState(row);
}
