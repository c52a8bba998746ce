import { type Tx, tenant } from "@/db/client";
import type { Ctx, Scope } from "@/server/ground/context";
import { ownPartner } from "@/server/ground/scope";

/** The organizations that are read in one transaction. */
export type Chunk = Extract<Scope, { kind: "partner" }>;

/**
 * Row level security compares each row with every organization of the transaction, so many at once cost more than twice
 * few; each statement is planned again, so few at once cost more as well.
 */
const ORGS_AT_ONCE = 100;
const CHUNKS_AT_ONCE = 3;

/** Reads something of many organizations within the caller's reach, some at a time; the answers are in no order. */
export async function inChunks<Row>(
  ctx: Ctx,
  orgIds: readonly string[],
  read: (tx: Tx, scope: Chunk) => Promise<Row[]>,
): Promise<Row[]> {
  // Nothing of a partner is read: to the platform's operator too, row level security shows the organizations alone.
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
