import { and, eq } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { organizations, partners } from "@/db/schema";
import type { Ctx } from "./context";
import { AppError, invalid, notFound } from "./errors";
import { type Owner, ownOrg, ownPartner } from "./scope";

/**
 * Partner for a new object: the caller's own or, for the platform's operator, the named or only one.
 * @throws AppError forbidden, not_found, validation_failed
 */
export async function partnerFor(ctx: Ctx, named?: string): Promise<string> {
  const own = ownPartner(ctx.scope);
  if (own !== null) {
    if (named && named !== own) throw new AppError("forbidden", "You have no access to that partner.");
    return own;
  }
  const where = and(eq(partners.isPlatform, false), named ? eq(partners.id, named) : undefined);
  const rows = await asSystem((tx) => tx.select({ id: partners.id }).from(partners).where(where).limit(2));
  if (rows.length > 1) throw invalid("partnerId", "is needed, because there are several partners");
  if (!rows[0]) throw notFound("partner");
  return rows[0].id;
}

/**
 * Owner of a new object: the named organization, or the caller's own, else the partner.
 * @throws AppError forbidden, not_found, validation_failed
 */
export async function ownerFor(ctx: Ctx, named: { [N in keyof Owner]?: Owner[N] | undefined }): Promise<Owner> {
  const orgId = named.orgId ?? ownOrg(ctx.scope);
  return { orgId, partnerId: orgId ? await partnerOfOrg(orgId) : await partnerFor(ctx, named.partnerId) };
}

/** Organization of a partner's own staff, which records partner-wide actions. */
export const homeOrgOf = (partnerId: string | null): Promise<string | null> =>
  asSystem((tx) => homeOrgIn(tx, partnerId));

/** The home organization, read within a transaction, so that recording a change needs no later look-up. */
export async function homeOrgIn(tx: Tx, partnerId: string | null): Promise<string | null> {
  if (!partnerId) return null;
  const where = and(eq(organizations.partnerId, partnerId), eq(organizations.isHome, true));
  const [row] = await tx.select({ id: organizations.id }).from(organizations).where(where);
  return row?.id ?? null;
}

/**
 * Organization that records actions without a customer: those of operators, and sign-ins without an account. Only
 * operators reach it. Null without an operator.
 */
export async function platformOrg(): Promise<string | null> {
  const rows = await asSystem((tx) =>
    tx
      .select({ id: organizations.id })
      .from(organizations)
      .innerJoin(partners, eq(partners.id, organizations.partnerId))
      .where(and(partners.isPlatform, organizations.isHome)),
  );
  return rows[0]?.id ?? null;
}

/** Partner of an organization in reach. @throws AppError not_found when it is gone */
export async function partnerOfOrg(orgId: string): Promise<string> {
  const where = eq(organizations.id, orgId);
  const [row] = await asSystem((tx) => tx.select({ id: organizations.partnerId }).from(organizations).where(where));
  if (!row) throw notFound("organization");
  return row.id;
}
