import { and, asc, eq, ilike, inArray, notInArray, or, type SQL, sql } from "drizzle-orm";
import { asSystem, type Tx, tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { userOrganizations, userPasskeys, users, userTotp } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { requireUserQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { homeOrgOf, partnerFor, partnerOfOrg } from "@/server/ground/partner";
import { isPartnerRole } from "@/server/ground/permissions";
import { isoTimes } from "@/server/ground/records";
import { inReach, type Owner, ownOrg } from "@/server/ground/scope";
import { containsPattern } from "@/server/ground/text";
import { versionOf } from "@/server/ground/version";
import { onlyIdInput } from "@/server/ground/wire";
import { requireMayGrantRole, requireWholePartner } from "@/server/identity/auth/grant";
import { hashChosen } from "@/server/identity/auth/password";
import { requireReachOver } from "./reach";
import { type CreateInput, createInput, listInput, type User, user, userPage } from "./schema";

/**
 * People among these with a second factor. Row-level security shows factors only to the platform, so the condition must
 * be the caller's own reach.
 */
async function withTwoFactor(reached: SQL | undefined): Promise<Set<string>> {
  const totp = sql`EXISTS (SELECT FROM ${userTotp} f WHERE f.user_id = ${users.id} AND f.confirmed_at IS NOT NULL)`;
  const passkey = sql`EXISTS (SELECT FROM ${userPasskeys} f WHERE f.user_id = ${users.id})`;
  const rows = await asSystem((tx) =>
    tx
      .select({ id: users.id })
      .from(users)
      .where(and(reached, or(totp, passkey))),
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether one person has. */
export const hasTwoFactor = async (id: string): Promise<boolean> =>
  (await withTwoFactor(inArray(users.id, [id]))).has(id);

/** Public columns of a user, without the password hash. */
export const userColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  role: users.role,
  department: users.department,
  orgId: users.orgId,
  partnerId: users.partnerId,
  allOrganizations: users.allOrganizations,
  requireTwoFactor: users.requireTwoFactor,
  organizationIds: sql<
    string[]
  >`ARRAY(SELECT m.org_id FROM ${userOrganizations} m WHERE m.user_id = ${users}.id ORDER BY 1)`,
  disabledAt: users.disabledAt,
  invited: sql<boolean>`(${users.passwordHash} IS NULL AND ${users.lastLoginAt} IS NULL)`,
  lastLoginAt: users.lastLoginAt,
  createdAt: users.createdAt,
  updatedAt: users.updatedAt,
};

type Row = Omit<typeof users.$inferSelect, "passwordHash"> & { organizationIds: string[]; invited: boolean };

/** A row in wire form; it holds only userColumns. */
export const toUser = ({ allOrganizations, organizationIds, disabledAt, ...row }: Row, twoFactor: boolean): User => ({
  ...isoTimes(row),
  organizationIds: row.orgId === null && !allOrganizations ? organizationIds : null,
  disabled: disabledAt !== null,
  twoFactor,
});

function hasChosen(twoFactor: boolean | undefined, secured: string[]): SQL | undefined {
  if (twoFactor === undefined) return undefined;
  if (secured.length === 0) return twoFactor ? sql`false` : undefined;
  return twoFactor ? inArray(users.id, secured) : notInArray(users.id, secured);
}

/** People whom the caller administers, by name; search is part of name or e-mail, in any case. */
export const listUsers = operation({
  permission: "users:manage",
  input: listInput,
  output: userPage,
  async run(ctx, input) {
    const administered = inReach(users, ctx.scope);
    const secured = await withTwoFactor(administered);
    const pattern = input.search && containsPattern(input.search);
    const where = and(
      administered,
      hasChosen(input.twoFactor, [...secured]),
      pattern ? or(ilike(users.name, pattern), ilike(users.email, pattern)) : undefined,
    );
    return tenant(ctx.scope, async (tx) => {
      const query = tx
        .select(userColumns)
        .from(users)
        .orderBy(asc(sql`lower(${users.name})`), asc(users.id))
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: users, query, where });
      return {
        data: rows.map((row) => toUser(row, secured.has(row.id))),
        pagination,
      };
    });
  },
});

/** @throws AppError not_found */
export const getUser = operation({
  permission: "users:manage",
  input: onlyIdInput,
  output: user,
  version: versionOf,
  async run(ctx, { id }) {
    const where = and(inReach(users, ctx.scope), eq(users.id, id));
    const [row] = await tenant(ctx.scope, (tx) => tx.select(userColumns).from(users).where(where));
    if (!row) throw notFound("user");
    return toUser(row, await hasTwoFactor(id));
  },
});

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
  const { email, name, department, role, requireTwoFactor } = input;
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
      requireTwoFactor,
      createdAt: new Date(),
    })
    .onConflictDoNothing()
    .returning(userColumns);
  if (!row) throw new AppError("conflict", "That e-mail is already in use.", { errors: [EMAIL_TAKEN] });
  const memberships = (organizationIds ?? []).map((id) => ({ userId: row.id, orgId: id }));
  if (memberships.length > 0) await tx.insert(userOrganizations).values(memberships);
  return row;
}

/**
 * Creates a person who can sign in or, without a password, be invited; role and reach are at most the caller's.
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
    const passwordHash = input.password === undefined ? null : await hashChosen(input.password, input);
    // Read before the change, so that its record does not depend on a later look-up.
    const recordedIn = membership.orgId ?? (await homeOrgOf(membership.partnerId));
    const row = await tenant(ctx.scope, async (tx) => {
      if (ofPartner && !membership.organizationIds) await requireWholePartner(tx, ctx);
      await requireUserQuota(tx, membership);
      return insertUser(tx, input, { ...membership, passwordHash });
    });
    const { id, name, email, role, department, requireTwoFactor } = row;
    record(ctx, {
      action: "user.create",
      orgId: recordedIn,
      ...resourceOf("user", { id, name }),
      details: {
        after: { email, name, role, department, organizationIds: membership.organizationIds, requireTwoFactor },
      },
    });
    return toUser({ ...row, organizationIds: membership.organizationIds ?? [] }, false);
  },
});
