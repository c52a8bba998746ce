import { and, eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { webhookEndpoints } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { invalid, notFound } from "@/server/ground/errors";
import { inReach } from "@/server/ground/scope";
import { requireMatch, versionOf } from "@/server/ground/version";
import { requireWholePartner } from "@/server/identity/auth/grant";
import { refusalBy, requireAllowed } from "./address";

export type EndpointRow = typeof webhookEndpoints.$inferSelect;

/**
 * An endpoint that the caller may change, locked for this transaction.
 * @throws AppError not_found, forbidden for a partner's and a caller who reaches less
 */
export async function lockEndpoint(tx: Tx, ctx: Ctx, id: string): Promise<EndpointRow> {
  const where = and(inReach(webhookEndpoints, ctx.scope), eq(webhookEndpoints.id, id));
  const [row] = await tx.select().from(webhookEndpoints).where(where).for("update");
  if (!row) throw notFound("webhook");
  if (row.orgId === null) await requireWholePartner(tx, ctx);
  requireMatch(ctx, versionOf(row));
  return row;
}

/** @throws AppError validation_failed for an address that the operator does not allow. */
export function checkAddress(address: string): void {
  const fault = refusalBy((may) => requireAllowed(new URL(address), may));
  if (fault) throw invalid("url", fault);
}

/** An endpoint for the audit log: only the host of its address, which may hold a token. */
export const auditable = ({
  name,
  url,
  kinds,
  disabledAt,
}: Pick<EndpointRow, "name" | "url" | "kinds" | "disabledAt">) => ({
  name,
  host: new URL(url).host,
  kinds,
  disabled: disabledAt !== null,
});

/** The endpoint for a caller who reaches less than it covers: its address may hold a token. */
export const withoutAddress = (row: EndpointRow): EndpointRow => ({ ...row, url: new URL(row.url).origin });
