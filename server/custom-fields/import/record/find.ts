import { and, eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { type ImportRecord, toRecord } from "./record";
import { ownImports, partnerScope } from "./scope";

const selectImport = (tx: Tx, ctx: Ctx, id: string) =>
  tx
    .select()
    .from(customFieldImports)
    .where(and(ownImports(partnerScope(ctx)), eq(customFieldImports.id, id)));

/** @throws AppError not_found, the same for a missing import and one outside the caller's reach. */
export const findImport = async (tx: Tx, ctx: Ctx, id: string): Promise<ImportRecord> =>
  toRecord((await selectImport(tx, ctx, id))[0]);

/** The same for one that is about to be changed: locked until the transaction ends. @throws AppError not_found. */
export const lockImport = async (tx: Tx, ctx: Ctx, id: string): Promise<ImportRecord> =>
  toRecord((await selectImport(tx, ctx, id).for("update"))[0]);
