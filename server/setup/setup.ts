import { createHmac } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { asSystem, type Tx } from "@/db/client";
import { inTime } from "@/db/lookup";
import { rowsOf } from "@/db/rows";
import { organizations, partners, users } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { seedShippedRules } from "@/server/detections/shipped/seed";
import { type Ctx, systemCtx } from "@/server/ground/context";
import { derivedKey } from "@/server/ground/derived-key";
import { env, unusableVariable } from "@/server/ground/env";
import { AppError } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { limit } from "@/server/ground/limits/windows";
import { log } from "@/server/ground/log";
import { operation } from "@/server/ground/operation";
import { hashSecret, SECRET_PREFIXES, sameHash } from "@/server/ground/secrets";
import { capitalized, repairText, toSlug } from "@/server/ground/text";
import { displayName, noInput } from "@/server/ground/wire";
import { hashChosen } from "@/server/identity/auth/password";
import { email, email as emailSchema, newPassword } from "@/server/identity/auth/schema";
import { insertOrganization } from "@/server/organizations/organizations";
import { type CompleteInput, completeInput, setupStatus } from "./schema";

const findCustomerPartner = (tx: Tx) =>
  tx.select({ id: partners.id }).from(partners).where(eq(partners.isPlatform, false)).limit(1);

export type Founding = Omit<CompleteInput, "token">;

/** True without a partner: nobody can sign in yet, except a system admin. */
export async function isSetupNeeded(): Promise<boolean> {
  return (await inTime(asSystem(findCustomerPartner))).length === 0;
}

/**
 * Creates the first partner, its home organization and administrator in an empty database.
 * @returns false when there is a partner already, also in a race.
 * @throws AppError conflict when the e-mail belongs to a system admin.
 */
export async function foundPartner(given: Founding, ctx: Ctx = systemCtx()): Promise<boolean> {
  const passwordHash = await hashChosen(given.password, given);
  const organizationName = repairText(given.organizationName);
  const admin = { id: newId(), email: given.email, name: repairText(given.name), role: "partner_admin" as const };
  const home = await asSystem(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('trailmark setup', 0))`);
    if ((await findCustomerPartner(tx)).length > 0) return;
    const partnerId = newId();
    await tx.insert(partners).values({ id: partnerId, name: organizationName, slug: toSlug(organizationName) });
    const org = await insertOrganization(tx, { partnerId, name: organizationName, isHome: true });
    const created = await tx
      .insert(users)
      .values({ ...admin, partnerId, passwordHash, createdAt: new Date() })
      .onConflictDoNothing()
      .returning();
    if (created.length === 0) throw new AppError("conflict", "That e-mail is already in use.");
    // Detection covers its first entry.
    await seedShippedRules(tx, partnerId);
    return org;
  });
  if (!home) return false;
  const about = { orgId: home.id, details: { setup: true } };
  record(ctx, {
    ...about,
    action: "organization.create",
    ...resourceOf("organization", home),
  });
  record(ctx, {
    ...about,
    action: "user.create",
    ...resourceOf("user", admin),
  });
  return true;
}

const TOKEN_BYTES = 30;

/**
 * Token for the page /setup, which initializes an empty database once. All processes of an installation share it,
 * because a proxy may reach any of them; other databases have other tokens.
 */
export async function setupToken(): Promise<string> {
  const [row] = await asSystem((tx) =>
    rowsOf<{ identity: string }>(
      tx,
      sql`SELECT format('%s %s', d.oid, 'partners'::regclass::oid) AS identity
        FROM pg_database d WHERE d.datname = current_database()`,
    ),
  );
  const mac = createHmac("sha256", derivedKey("setup token"))
    .update(row?.identity ?? "")
    .digest();
  return SECRET_PREFIXES.setup + mac.subarray(0, TOKEN_BYTES).toString("base64url");
}

/** Initial name "Jane Doe" from "jane.doe@…". */
const nameOf = (email: string) =>
  (email.split("@")[0] ?? "")
    .split(/[._-]+/)
    .filter(Boolean)
    .map(capitalized)
    .join(" ") || "Administrator";

/**
 * On an empty database, creates partner and administrator from TRAILMARK_ADMIN_EMAIL and TRAILMARK_ADMIN_PASSWORD, or a
 * one-time token for the page /setup.
 * @returns a line for the console, or null when nothing is left to do.
 */
export async function ensureFirstAdmin(): Promise<string | null> {
  if (!(await isSetupNeeded())) return null;
  const { TRAILMARK_ADMIN_EMAIL, TRAILMARK_ADMIN_PASSWORD, NEXTAUTH_URL } = env();
  if (TRAILMARK_ADMIN_EMAIL && TRAILMARK_ADMIN_PASSWORD) {
    const email = emailSchema.parse(TRAILMARK_ADMIN_EMAIL);
    const founding = { email, password: TRAILMARK_ADMIN_PASSWORD, name: nameOf(email), organizationName: "Home" };
    await foundPartner(founding).catch((error: unknown) => {
      const isWeak = error instanceof AppError && error.code === "validation_failed";
      throw isWeak ? unusableVariable("TRAILMARK_ADMIN_PASSWORD", error.message) : error;
    });
    log.info({ email }, "first partner and administrator created from the environment");
    return null;
  }
  const page = new URL("/setup", NEXTAUTH_URL).href;
  return `First run: open ${page} and enter the one-time token ${await setupToken()}`;
}

const input = z.strictObject({ email, password: newPassword, name: displayName });

/**
 * Creates a system_admin, the platform's operator over every partner. Only the command line calls this.
 * @throws ZodError for a bad e-mail or a short password; AppError conflict when the e-mail is taken.
 */
export async function createSystemAdmin(given: z.input<typeof input>): Promise<{ id: string; email: string }> {
  const { email: address, password, name } = input.parse(given);
  const passwordHash = await hashChosen(password, { email: address, name });
  const row = { id: newId(), email: address, name: repairText(name), role: "system_admin" as const, passwordHash };
  const { orgId, founded } = await asSystem(async (tx) => {
    const platform = await ensurePlatform(tx);
    const values = { ...row, partnerId: platform.partnerId };
    const created = await tx.insert(users).values(values).onConflictDoNothing().returning({ id: users.id });
    if (created.length === 0) throw new AppError("conflict", "That e-mail is already in use.");
    return platform;
  });
  const ctx = systemCtx();
  if (founded)
    record(ctx, { action: "organization.create", orgId, ...resourceOf("organization", { id: orgId, name: PLATFORM }) });
  record(ctx, { action: "user.create", orgId, ...resourceOf("user", row), details: { after: { role: row.role } } });
  return { id: row.id, email: address };
}

const PLATFORM = "Platform";

/** The operators' own partner and organization, created with the first operator. */
async function ensurePlatform(tx: Tx): Promise<{ partnerId: string; orgId: string; founded: boolean }> {
  const values = { id: newId(), name: PLATFORM, slug: `platform-${newId()}`, isPlatform: true };
  // The unique index on is_platform makes a concurrent second operator wait for the first.
  const [made] = await tx.insert(partners).values(values).onConflictDoNothing().returning({ id: partners.id });
  if (made) {
    const { id: orgId } = await insertOrganization(tx, { partnerId: made.id, name: PLATFORM, isHome: true });
    return { partnerId: made.id, orgId, founded: true };
  }
  const [found] = await tx
    .select({ partnerId: partners.id, orgId: organizations.id })
    .from(partners)
    .innerJoin(organizations, eq(organizations.partnerId, partners.id))
    .where(and(partners.isPlatform, organizations.isHome));
  if (!found) throw new Error("the platform's partner has no organization");
  return { ...found, founded: false };
}

/** Whether first-run setup is pending. */
export const getSetupStatus = operation({
  input: noInput,
  output: setupStatus,
  async run() {
    return { needed: await isSetupNeeded() };
  },
});

/**
 * First-run setup: partner, home organization and administrator, for the person who can read the console.
 * @throws AppError forbidden for a wrong token, conflict when it was done already, rate_limited.
 */
export const completeSetup = operation({
  input: completeInput,
  output: setupStatus,
  async run(ctx, { token, ...given }) {
    await limit("setup", ctx.ip);
    if (!(await isSetupNeeded())) throw new AppError("conflict", "Trailmark is set up already; sign in instead.");
    if (!sameHash(hashSecret(await setupToken()), hashSecret(token)))
      throw new AppError("forbidden", "That is not the token that the console shows.");
    if (!(await foundPartner(given, { ...systemCtx(), ip: ctx.ip, userAgent: ctx.userAgent })))
      throw new AppError("conflict", "Trailmark is set up already; sign in instead.");
    return { needed: false };
  },
});
