import { sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import type { Ctx } from "../context";
import { notFound } from "../errors";
import { fetchRows } from "./row-query";
import type { FullEntry } from "./schema";
import { toFullEntry } from "./to-entry";

/**
 * One audit entry in the full format.
 * @throws AppError not_found when it is missing or belongs to another organization.
 */
export async function getAuditEntry(ctx: Ctx, { id }: { id: string }): Promise<FullEntry> {
  const rows = await tenant(ctx.scope, (tx) =>
    fetchRows(tx, ctx.scope, { conditions: [sql`a.id = ${id}::uuid`], limit: 1 }),
  );
  if (!rows[0]) throw notFound("audit log entry");
  return toFullEntry(rows[0]);
}
