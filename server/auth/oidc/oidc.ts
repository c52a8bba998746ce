import { and, eq, isNull, notExists, sql } from "drizzle-orm";
import type { OAuthConfig } from "next-auth/providers/oauth";
import { asSystem } from "@/db/client";
import { organizations, userIdentities, users } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { findUserCaller } from "@/server/auth/caller";
import { email as emailSchema } from "@/server/auth/schema";
import { type Ctx, systemCtx } from "@/server/context";
import { env } from "@/server/env";
import { newId } from "@/server/ids";
import { requireRoomForUser } from "@/server/limits/room-for-user";
import { inOneLine, repairText } from "@/server/text";

/** What an identity provider says of a person (OpenID Connect Core 1.0, section 5.1). */
export type Profile = { sub: string; email?: string; email_verified?: boolean; name?: string };

/** The provider that the environment names, for next-auth; null without one. */
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
    // Providers that keep to the standard give the address at the userinfo endpoint alone.
    userinfo: {
      request: async ({ client, tokens }) => {
        const said = await client.userinfo(tokens.access_token ?? "");
        const { sub } = JSON.parse(Buffer.from(String(tokens.id_token).split(".")[1] ?? "", "base64url").toString());
        if (said.sub !== sub) throw new Error("userinfo speaks of somebody else");
        return said as Profile;
      },
    },
    profile: ({ sub, email, name }) => ({ id: sub, email: email ?? null, name: name ?? null }),
  };
}

async function findLinked(sub: string): Promise<string | undefined> {
  const same = and(eq(userIdentities.issuer, env().OIDC_ISSUER ?? ""), eq(userIdentities.subject, sub));
  const [row] = await asSystem((tx) => tx.select({ userId: userIdentities.userId }).from(userIdentities).where(same));
  return row?.userId;
}

/**
 * The person with the address that the provider has verified; only then is it the same person. Not one whom the provider
 * has named already: companies give addresses of those who left to others.
 */
async function findVerified({ email, email_verified }: Profile): Promise<string | undefined> {
  const address = emailSchema.safeParse(email);
  if (email_verified !== true || !address.success) return undefined;
  return asSystem(async (tx) => {
    const linked = and(eq(userIdentities.userId, users.id), eq(userIdentities.issuer, env().OIDC_ISSUER ?? ""));
    const isFree = notExists(tx.select({ subject: userIdentities.subject }).from(userIdentities).where(linked));
    const same = and(eq(sql`lower(${users.email})`, address.data), isNull(users.disabledAt), isFree);
    const [row] = await tx.select({ id: users.id }).from(users).where(same);
    return row?.id;
  });
}

/** Just in time, where the environment names an organization for it: a viewer of that organization, and nothing more. */
async function createViewer(ctx: Ctx, { email, email_verified, name }: Profile): Promise<string | undefined> {
  const orgId = env().OIDC_JIT_ORGANIZATION;
  const address = emailSchema.safeParse(email);
  if (!orgId || email_verified !== true || !address.success) return undefined;
  const person = {
    id: newId(),
    email: address.data,
    name: inOneLine(repairText(name ?? address.data)),
    role: "org_viewer" as const,
  };
  const created = await asSystem(async (tx) => {
    const [org] = await tx.select().from(organizations).where(eq(organizations.id, orgId));
    if (!org) return [];
    const row = { ...person, orgId, partnerId: org.partnerId };
    await requireRoomForUser(tx, row);
    return tx.insert(users).values(row).onConflictDoNothing().returning({ id: users.id });
  });
  if (created.length === 0) return undefined;
  const about = resourceOf("user", person);
  const details = { via: "oidc", after: { email: person.email, name: person.name, role: person.role } };
  record({ ...systemCtx(), ip: ctx.ip, userAgent: ctx.userAgent }, { action: "user.create", orgId, ...about, details });
  return person.id;
}

async function link(ctx: Ctx, userId: string, sub: string): Promise<void> {
  const issuer = env().OIDC_ISSUER ?? "";
  await asSystem((tx) => tx.insert(userIdentities).values({ issuer, subject: sub, userId }).onConflictDoNothing());
  const caller = await findUserCaller(userId);
  if (caller?.actor.type !== "user") return;
  const { id, name } = caller.actor;
  const about = resourceOf("user", { id, name });
  record(
    { ...ctx, ...caller },
    { action: "user.identity.link", orgId: caller.homeOrgId, ...about, details: { issuer } },
  );
}

/**
 * Who a person of the identity provider is here: the one linked to that subject, else the one with the verified address,
 * who is linked from now on, else (only where the environment says so) a new viewer; undefined for anybody else.
 */
export async function findByIdentity(ctx: Ctx, profile: Profile): Promise<string | undefined> {
  const known = await findLinked(profile.sub);
  if (known) return known;
  const userId = (await findVerified(profile)) ?? (await createViewer(ctx, profile));
  if (userId) await link(ctx, userId, profile.sub);
  return userId;
}
