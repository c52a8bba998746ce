import { type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { customFieldImports } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";

export type PartnerScope = Extract<Ctx["scope"], { kind: "partner" }> & { partnerId: string };

const isPartnerScope = (scope: Ctx["scope"]): scope is PartnerScope =>
  scope.kind === "partner" && scope.partnerId !== null;

/** @throws AppError forbidden for callers without a partner: what is imported is the partner's. */
export function partnerScope(ctx: Ctx): PartnerScope {
  if (!isPartnerScope(ctx.scope))
    throw new AppError("forbidden", "Only a partner's own staff can import custom fields.");
  return ctx.scope;
}

/** @throws AppError forbidden: an import needs a person whose access is checked again while it runs. */
export function personOf(ctx: Ctx): { id: string; name: string } {
  if (ctx.actor.type !== "user") throw new AppError("forbidden", "Only a person can import custom fields.");
  return { id: ctx.actor.id, name: ctx.actor.name };
}

/** Imports of the caller's partner that concern no organization beyond the caller's reach. */
export function ownImports(scope: PartnerScope): SQL {
  const i = customFieldImports;
  return sql`${i.partnerId} = ${scope.partnerId}::uuid AND ${i.orgIds} <@ ${uuids(scope.orgIds)}`;
}
