import { tenantRead } from "@/db/read";
import type { AuditFilter } from "@/server/audit/query/conditions";
import { planFor } from "@/server/audit/query/plan";
import { findKeys, searchTime } from "@/server/audit/query/search";
import { MAX_UNPROVEN_ROWS } from "@/server/audit/vocabulary";
import type { Ctx } from "@/server/ground/context";
import { lacksRecentProof, requireRecentProof } from "@/server/ground/recent-proof";

async function areMany(ctx: Ctx, filter: AuditFilter): Promise<boolean> {
  const window = { need: MAX_UNPROVEN_ROWS + 1, deadline: performance.now() + searchTime.proof };
  const { keys, cut } = await tenantRead(ctx.scope, async (tx) => findKeys(tx, await planFor(tx, ctx, filter), window));
  return cut || keys.length > MAX_UNPROVEN_ROWS;
}

/**
 * Asks a browser's session for a recent proof of who is there before so many entries leave, however they are filtered.
 * @throws AppError step_up_required
 */
export async function requireProofForMany(ctx: Ctx, filter: AuditFilter): Promise<void> {
  if (lacksRecentProof(ctx, "browser") && (await areMany(ctx, filter))) requireRecentProof(ctx, "browser");
}
