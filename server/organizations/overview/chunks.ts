import { type Tx, tenant } from "@/db/client";
import type { Ctx, Scope } from "@/server/ground/context";
import { ownPartner } from "@/server/ground/scope";

/** Organizations read in one transaction. */
export type Chunk = Extract<Scope, { kind: "partner" }>;

/**
 * Row-level security compares each row with all organizations of the transaction, so large chunks cost more than
 * linearly; each statement is planned again, so small ones do too.
 */
const ORGS_AT_ONCE = 100;
const CHUNKS_AT_ONCE = 3;

/** Reads facts of many organizations in chunks, in no particular order. */
export async function inChunks<Row>(
  ctx: Ctx,
  orgIds: readonly string[],
  read: (tx: Tx, scope: Chunk) => Promise<Row[]>,
): Promise<Row[]> {
  // Reads nothing of a partner: even for the operator, row-level security only shows the organizations.
  const partnerId = ownPartner(ctx.scope) ?? "";
  const chunks: string[][] = [];
  for (let at = 0; at < orgIds.length; at += ORGS_AT_ONCE) chunks.push(orgIds.slice(at, at + ORGS_AT_ONCE));
  const found: Row[] = [];
  const work = async () => {
    for (let chunk = chunks.pop(); chunk; chunk = chunks.pop()) {
      const scope = { kind: "partner" as const, orgIds: chunk, partnerId };
      found.push(...(await tenant(scope, (tx) => read(tx, scope))));
    }
  };
  await Promise.all(Array.from({ length: CHUNKS_AT_ONCE }, work));
  return found;
}
