import { and, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { organizations } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { callersChanged } from "@/server/ground/background/streams";
import type { Ctx } from "@/server/ground/context";
import { AppError, notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { inScope } from "@/server/ground/scope";
import { secondFactorsOf } from "@/server/identity/auth/second-factor/factors";
import { followZone } from "@/server/notify/report-schedules/zone";
import { organization, type UpdateInput, updateInput } from "./schema";
import { toOrganization } from "./to-organization";

type Change = { name?: string; requireTwoFactor?: boolean; timeZone?: string | null };

/** What of the input is another value than the row has. */
function changesOf(row: typeof organizations.$inferSelect, { name, requireTwoFactor, timeZone }: UpdateInput): Change {
  return {
    ...(name !== undefined && name !== row.name && { name }),
    ...(requireTwoFactor !== undefined && requireTwoFactor !== row.requireTwoFactor && { requireTwoFactor }),
    ...(timeZone !== undefined && timeZone !== row.timeZone && { timeZone }),
  };
}

/** An administrator who requires it of colleagues must have it, and so is not locked out of what they administer. */
async function requireOwnFactor({ actor, homeOrgId }: Ctx, orgId: string): Promise<void> {
  if (actor.type !== "user" || homeOrgId !== orgId || (await secondFactorsOf(actor.id)).isOn) return;
  throw new AppError("conflict", "This concerns you too: set up two-factor sign-in in your own account first.");
}

/**
 * Renames an organization within the caller's reach (its slug stays, because addresses hold it), requires a second factor
 * of its people (of the home organization these are the partner's staff; it counts from their next request on,
 * and ends what they have open), or sets the time zone of its reports, which scheduled ones follow.
 * @throws AppError not_found, conflict when the caller would be asked for a factor that they do not have
 */
export const updateOrganization = operation({
  permission: "organizations:manage",
  stepUp: ({ requireTwoFactor }) => requireTwoFactor === false,
  input: updateInput,
  output: organization,
  async run(ctx, input) {
    const where = and(inScope(organizations.id, ctx.scope), eq(organizations.id, input.id));
    if (input.requireTwoFactor) await requireOwnFactor(ctx, input.id);
    const { before, after, change } = await tenant(ctx.scope, async (tx) => {
      const [found] = await tx.select().from(organizations).where(where).for("update");
      if (!found) throw notFound("organization");
      const change = changesOf(found, input);
      if (Object.keys(change).length === 0) return { before: found, after: found, change };
      const set = { ...change, updatedAt: ctx.now() };
      const [changed] = await tx.update(organizations).set(set).where(where).returning();
      return { before: found, after: changed ?? found, change };
    });
    const names = Object.keys(change).filter((key): key is keyof Change => key in before);
    if (names.length > 0)
      record(ctx, {
        action: "organization.update",
        orgId: after.id,
        ...resourceOf("organization", after),
        details: { before: Object.fromEntries(names.map((name) => [name, before[name]])), after: change },
      });
    if (change.requireTwoFactor) callersChanged();
    if ("timeZone" in change) await followZone(after);
    return toOrganization(after);
  },
});
