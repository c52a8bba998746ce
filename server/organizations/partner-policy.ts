import { eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { partners } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { callersChanged } from "@/server/ground/background/streams";
import type { Ctx } from "@/server/ground/context";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { homeOrgIn, partnerFor } from "@/server/ground/partner";
import { ownPartner } from "@/server/ground/scope";
import { requireMatch } from "@/server/ground/version";
import { requireWholePartner } from "@/server/identity/auth/grant";
import { requireOwnFactor } from "@/server/identity/auth/second-factor/factors";
import { partnerInput, partnerPolicy, partnerPolicyInput } from "./schema";

type Found = { id: string; willChange: boolean };

async function findPartner(tx: Tx, ctx: Ctx, { id, willChange }: Found): Promise<typeof partners.$inferSelect> {
  await requireWholePartner(tx, ctx);
  const found = tx.select().from(partners).where(eq(partners.id, id));
  const [row] = await (willChange ? found.for("update") : found);
  if (!row) throw notFound("partner");
  return row;
}

const toPolicy = ({ id, name, requireTwoFactor }: typeof partners.$inferSelect) => ({ id, name, requireTwoFactor });

/**
 * GET /orgs/partner: policy for every organization of the caller's partner.
 * @throws AppError forbidden for a caller who reaches less than the whole partner
 */
export const getPartnerPolicy = operation({
  permission: "organizations:manage",
  input: partnerInput,
  output: partnerPolicy,
  version: (policy) => policy,
  async run(ctx, { partnerId }) {
    const id = await partnerFor(ctx, partnerId);
    return toPolicy(await tenant(ctx.scope, (tx) => findPartner(tx, ctx, { id, willChange: false })));
  },
});

/**
 * PATCH /orgs/partner: requires a second factor of all users: the partner's staff and every organization's people.
 * Effective with their next request, ending open streams; organizations' own requirements stay.
 * @throws AppError forbidden, conflict when the caller would need a factor that they do not have
 */
export const setPartnerPolicy = operation({
  permission: "organizations:manage",
  stepUp: ({ requireTwoFactor }) => !requireTwoFactor,
  input: partnerPolicyInput,
  output: partnerPolicy,
  version: (policy) => policy,
  async run(ctx, { partnerId, requireTwoFactor }) {
    const id = await partnerFor(ctx, partnerId);
    if (requireTwoFactor && ownPartner(ctx.scope) === id) await requireOwnFactor(ctx);
    const { before, orgId } = await tenant(ctx.scope, async (tx) => {
      const found = await findPartner(tx, ctx, { id, willChange: true });
      requireMatch(ctx, toPolicy(found));
      if (found.requireTwoFactor !== requireTwoFactor)
        await tx.update(partners).set({ requireTwoFactor, updatedAt: ctx.now() }).where(eq(partners.id, id));
      return { before: found, orgId: await homeOrgIn(tx, id) };
    });
    if (before.requireTwoFactor !== requireTwoFactor) {
      if (requireTwoFactor) callersChanged();
      record(ctx, {
        action: "partner.update",
        orgId,
        ...resourceOf("partner", { id, name: before.name }),
        details: { before: { requireTwoFactor: before.requireTwoFactor }, after: { requireTwoFactor } },
      });
    }
    return { ...toPolicy(before), requireTwoFactor };
  },
});
