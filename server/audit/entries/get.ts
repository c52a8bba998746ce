import { tenant } from "@/db/client";
import { type EntryRow, reachedBy, rowOfId } from "@/server/audit/query/rows";
import { fullEntry } from "@/server/audit/schema";
import type { Ctx } from "@/server/ground/context";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { idInput } from "@/server/ground/wire";
import { toFullEntry } from "./to-entry";

/** @throws AppError not_found when the row is missing or belongs to another organization. */
export async function getRow(ctx: Ctx, id: string): Promise<EntryRow> {
  const row = await tenant(ctx.scope, async (tx) => rowOfId(tx, await reachedBy(tx, ctx.scope), id));
  if (!row) throw notFound("audit log entry");
  return row;
}

/**
 * One audit entry in the full format.
 * @throws AppError not_found when it is missing or belongs to another organization.
 */
export const getAuditEntry = operation({
  permission: "audit:read",
  input: idInput,
  output: fullEntry,
  async run(ctx, { id }) {
    return toFullEntry(await getRow(ctx, id));
  },
});
