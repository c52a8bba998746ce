import { tenant } from "@/db/client";
import type { Ctx } from "@/server/context";
import { findImport, toImportState } from "./find-import";
import type { ImportState } from "./schema";

/** @throws AppError not_found */
export function getImport(ctx: Ctx, { id }: { id: string }): Promise<ImportState> {
  return tenant(ctx.scope, async (tx) => toImportState(await findImport(tx, ctx, id)));
}
