import { and, eq, notExists, sql } from "drizzle-orm";
import type { OAuthConfig } from "next-auth/providers/oauth";
import { asSystem, type Tx } from "@/db/client";
import { organizations, userIdentities, users } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { type Ctx, systemCtx } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import { newId } from "@/server/ground/ids";
import { countInTurn, requireUserQuota } from "@/server/ground/limits/quota";
import { inOneLine, repairText } from "@/server/ground/text";
import { findUserCaller } from "@/server/identity/auth/caller";
import { recordOwn } from "@/server/identity/auth/person";
import { email as emailSchema } from "@/server/identity/auth/schema";

/** An identity provider's claims about a person (OpenID Connect Core 1.0, section 5.1). */
export type Profile = { sub: string; email?: string; email_verified?: boolean; name?: string };

/** Tolerated clock skew of a provider. */
const MAX_CLOCK_SKEW_SECONDS = 60;

/** The identity provider from the environment, for next-auth; null without one. */
export function oidcProvider(): OAuthConfig<Profile> | null {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME } = env();
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET) return null;
  return {
    id: "oidc",
    name: OIDC_NAME,
    type: "oauth",
    wellKnown: `${OIDC_ISSUER.replace(/\/$/, "")}/.well-known/openid-configuration`,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    authorization: { params: { scope: "openid email profile" } },
    idToken: true,
    checks: ["pkce", "state", "nonce"],
    // Standard providers return the address only at the userinfo endpoint.
    userinfo: {
      request: async ({ client, tokens }) => {
        const given = await client.userinfo(tokens.access_token ?? "");
        const signed = Buffer.from(String(tokens.id_token).split(".")[1] ?? "", "base64url").toString();
        const { sub, iat }: { sub?: unknown; iat?: unknown } = JSON.parse(signed);
        if (given.sub !== sub) throw new Error("userinfo describes another subject");
        if (!(Number(iat) <= Date.now() / 1000 + MAX_CLOCK_SKEW_SECONDS))
          throw new Error("the ID token is not signed yet");
        return given as Profile;
      },
    },
    profile: ({ sub, email, name }) => ({ id: sub, email: email ?? null, name: name ?? null }),
  };
}

/** Limit of a subject in the standard (OpenID Connect Core 1.0, section 2); longer ones exceed the index. */
const MAX_SUBJECT_LENGTH = 255;
/** Limit of a person's name, as when entered here. */
const MAX_NAME_LENGTH = 255;

type Verified = { sub: string; address: string; name: unknown };

/** True if the database stores a subject unchanged: otherwise two subjects could become one person. */
const isSubject = (sub: unknown): sub is string =>
  typeof sub === "string" && sub !== "" && sub.length <= MAX_SUBJECT_LENGTH && repairText(sub) === sub;

async function findLinked(tx: Tx, sub: string): Promise<string | undefined> {
  const same = and(eq(userIdentities.issuer, env().OIDC_ISSUER ?? ""), eq(userIdentities.subject, sub));
  const [row] = await tx.select({ userId: userIdentities.userId }).from(userIdentities).where(same);
  return row?.userId;
}

/**
 * Person with the provider's verified address, which is required to link. Not one already linked: companies reassign
 * addresses of former staff.
 */
async function findByAddress(tx: Tx, address: string): Promise<{ id: string; isDisabled: boolean } | undefined> {
  const linked = and(eq(userIdentities.userId, users.id), eq(userIdentities.issuer, env().OIDC_ISSUER ?? ""));
  const isFree = notExists(tx.select({ subject: userIdentities.subject }).from(userIdentities).where(linked));
  const same = and(eq(sql`lower(${users.email})`, address), isFree);
  const [row] = await tx.select({ id: users.id, disabledAt: users.disabledAt }).from(users).where(same);
  return row && { id: row.id, isDisabled: row.disabledAt !== null };
}

/** The provider's name for a person, within our limits; the address if there is none. */
function nameOf({ name, address }: Verified): string {
  const given = typeof name === "string" ? inOneLine(repairText(name)).trim() : "";
  return [...(given || address)].slice(0, MAX_NAME_LENGTH).join("").trim();
}

/** Creates a viewer of the configured organization on the first sign-in (just-in-time provisioning). */
async function createViewer(tx: Tx, verified: Verified) {
  const orgId = env().OIDC_JIT_ORGANIZATION;
  if (!orgId) return undefined;
  const [org] = await tx.select().from(organizations).where(eq(organizations.id, orgId));
  if (!org) return undefined;
  const person = { id: newId(), email: verified.address, name: nameOf(verified), role: "org_viewer" as const };
  const row = { ...person, orgId, partnerId: org.partnerId };
  await requireUserQuota(tx, row);
  const created = await tx.insert(users).values(row).onConflictDoNothing().returning({ id: users.id });
  return created.length > 0 ? { ...person, orgId } : undefined;
}

/** Links a subject to the person with its address, unless disabled; of concurrent ones the first wins. */
function linkByAddress(verified: Verified) {
  const { sub, address } = verified;
  return asSystem(async (tx) => {
    await countInTurn(tx, `identities of ${address}`);
    const known = await findLinked(tx, sub);
    if (known) return { userId: known, isNew: false };
    const found = await findByAddress(tx, address);
    // Returned even if there is no room for another viewer, because no user is created.
    if (found?.isDisabled) return { userId: found.id, isNew: false };
    const viewer = found ? undefined : await createViewer(tx, verified);
    const userId = found?.id ?? viewer?.id;
    if (!userId) return undefined;
    await tx.insert(userIdentities).values({ issuer: env().OIDC_ISSUER ?? "", subject: sub, userId });
    return { userId, viewer, isNew: true };
  });
}

type Viewer = NonNullable<Awaited<ReturnType<typeof createViewer>>>;

function recordViewer(ctx: Ctx, { id, email, name, role, orgId }: Viewer): void {
  const about = resourceOf("user", { id, name });
  const details = { via: "oidc", after: { email, name, role } };
  record({ ...systemCtx(), ip: ctx.ip, userAgent: ctx.userAgent }, { action: "user.create", orgId, ...about, details });
}

async function recordLink(ctx: Ctx, userId: string): Promise<void> {
  const caller = await findUserCaller(userId);
  const details = { issuer: env().OIDC_ISSUER ?? "" };
  if (caller) recordOwn({ ...ctx, ...caller }, { action: "user.identity.link", details });
}

/**
 * Finds the person for an identity: the one linked to its subject; else the one with the verified address, then linked;
 * else, if configured, a new viewer; otherwise undefined. A disabled person is returned for the audit log but not
 * linked.
 * @throws AppError conflict when the organization has no room for another viewer
 */
export async function findByIdentity(ctx: Ctx, profile: Profile): Promise<string | undefined> {
  const { sub, email, email_verified, name } = profile;
  if (!isSubject(sub)) return undefined;
  const known = await asSystem((tx) => findLinked(tx, sub));
  if (known) return known;
  const address = emailSchema.safeParse(email);
  if (email_verified !== true || !address.success) return undefined;
  const linked = await linkByAddress({ sub, address: address.data, name });
  if (linked?.viewer) recordViewer(ctx, linked.viewer);
  if (linked?.isNew) await recordLink(ctx, linked.userId);
  return linked?.userId;
}

/**
 * Unlinks a person's identities; the next sign-in at the provider with the verified address links again.
 * @returns the number of identities removed
 */
export async function forgetIdentities(userId: string): Promise<number> {
  const theirs = eq(userIdentities.userId, userId);
  const rows = await asSystem((tx) =>
    tx.delete(userIdentities).where(theirs).returning({ userId: userIdentities.userId }),
  );
  return rows.length;
}
