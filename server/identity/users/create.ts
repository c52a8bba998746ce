import { asSystem, type Tx, tenant } from "@/db/client";
import { userOrganizations, users } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { requireUserQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { homeOrgOf, partnerFor, partnerOfOrg } from "@/server/ground/partner";
import { isPartnerRole } from "@/server/ground/permissions";
import { type Owner, ownOrg } from "@/server/ground/scope";
import { requireMayGrantRole, requireWholePartner } from "@/server/identity/auth/grant";
import { hashPassword } from "@/server/identity/auth/password";
import { requireReachOver } from "./reach";
import { type CreateInput, createInput, user } from "./schema";
import { toUser } from "./to-user";

type Membership = Owner & { organizationIds: string[] | null };

async function organizationMembership(ctx: Ctx, input: CreateInput): Promise<Membership> {
  if (input.organizationIds) throw invalid("organizationIds", "is for partner roles only");
  const orgId = input.orgId ?? ownOrg(ctx.scope);
  if (!orgId) throw invalid("orgId", "is needed for this role");
  return { orgId, partnerId: await partnerOfOrg(orgId), organizationIds: null };
}

async function partnerMembership(ctx: Ctx, input: CreateInput): Promise<Membership> {
  const partnerId = await partnerFor(ctx, input.partnerId);
  const organizationIds = input.organizationIds ? [...new Set(input.organizationIds)] : null;
  if (organizationIds) await asSystem((tx) => requireReachOver(tx, ctx, { partnerId, organizationIds }));
  return { orgId: null, partnerId, organizationIds };
}

const EMAIL_TAKEN = { path: "email", message: "is already in use" };

async function insertUser(tx: Tx, input: CreateInput, account: Membership & { passwordHash: string | null }) {
  const { orgId, partnerId, organizationIds, passwordHash } = account;
  const { email, name, department, role } = input;
  const [row] = await tx
    .insert(users)
    .values({
      id: newId(),
      email,
      name,
      department,
      role,
      passwordHash,
      orgId,
      partnerId,
      allOrganizations: !organizationIds,
    })
    .onConflictDoNothing()
    .returning();
  if (!row) throw new AppError("conflict", "That e-mail is already in use.", { errors: [EMAIL_TAKEN] });
  const memberships = (organizationIds ?? []).map((id) => ({ userId: row.id, orgId: id }));
  if (memberships.length > 0) await tx.insert(userOrganizations).values(memberships);
  return row;
}

/**
 * Creates a person who can sign in, or (without a password) be invited, with a role no higher and a reach no wider than the caller's.
 * @throws AppError forbidden, validation_failed, conflict when the e-mail is taken or there are too many.
 */
export const createUser = operation({
  permission: "users:manage",
  stepUp: () => true,
  input: createInput,
  output: user,
  async run(ctx, input) {
    const ofPartner = isPartnerRole(input.role);
    if (ofPartner && input.orgId) throw invalid("orgId", "is for organization roles only");
    requireMayGrantRole(ctx, input.role);
    const membership = await (ofPartner ? partnerMembership(ctx, input) : organizationMembership(ctx, input));
    const passwordHash = input.password === undefined ? null : await hashPassword(input.password);
    // Before, because what is recorded of a change must not depend on a look-up after it.
    const recordedIn = membership.orgId ?? (await homeOrgOf(membership.partnerId));
    const row = await tenant(ctx.scope, async (tx) => {
      if (ofPartner && !membership.organizationIds) await requireWholePartner(tx, ctx);
      await requireUserQuota(tx, membership);
      return insertUser(tx, input, { ...membership, passwordHash });
    });
    const { id, name, email, role, department } = row;
    record(ctx, {
      action: "user.create",
      orgId: recordedIn,
      ...resourceOf("user", { id, name }),
      details: { after: { email, name, role, department, organizationIds: membership.organizationIds } },
    });
    return toUser({ ...row, organizationIds: membership.organizationIds ?? [], invited: passwordHash === null }, false);
  },
});
