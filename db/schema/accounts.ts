import { sql } from "drizzle-orm";
import { check, index, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { count, createdAt, id, instant, updatedAt } from "./columns";
import { withUser } from "./identity";

/** One row per sign-in; id is the family of its refresh tokens. provenAt: last identity check. */
export const userSessions = pgTable(
  "user_sessions",
  {
    id: uuid("id").primaryKey(),
    userId: withUser(),
    via: text("via").notNull(),
    ip: text("ip"),
    userAgent: text("user_agent"),
    createdAt: createdAt(),
    lastSeenAt: instant("last_seen_at").notNull().defaultNow(),
    provenAt: instant("proven_at").notNull().defaultNow(),
  },
  (t) => [index("user_sessions_user_idx").on(t.userId)],
);

/** Secrets of links and of the second step of a sign-in: single use, short-lived. */
export const userTokens = pgTable(
  "user_tokens",
  {
    id: id(),
    userId: withUser(),
    purpose: text("purpose").notNull(),
    tokenHash: text("token_hash").notNull().unique("user_tokens_hash_key"),
    challenge: text("challenge"),
    expiresAt: instant("expires_at").notNull(),
    usedAt: instant("used_at"),
    createdAt: createdAt(),
  },
  (t) => [index("user_tokens_user_idx").on(t.userId)],
);

/** An encrypted TOTP secret; unconfirmed until its first code. A time step's code is accepted once. */
export const userTotp = pgTable("user_totp", {
  userId: withUser().primaryKey(),
  secret: text("secret").notNull(),
  confirmedAt: instant("confirmed_at"),
  lastStep: count("last_step").notNull().default(0),
  createdAt: createdAt(),
});

export const userRecoveryCodes = pgTable(
  "user_recovery_codes",
  { userId: withUser(), codeHash: text("code_hash").notNull(), usedAt: instant("used_at"), createdAt: createdAt() },
  (t) => [primaryKey({ name: "user_recovery_codes_pkey", columns: [t.userId, t.codeHash] })],
);

/** A WebAuthn credential; publicKey is COSE in base64url. */
export const userPasskeys = pgTable(
  "user_passkeys",
  {
    id: id(),
    userId: withUser(),
    credentialId: text("credential_id").notNull().unique("user_passkeys_credential_key"),
    publicKey: text("public_key").notNull(),
    counter: count("counter").notNull().default(0),
    transports: text("transports").array().notNull().default([]),
    name: text("name").notNull(),
    lastUsedAt: instant("last_used_at"),
    createdAt: createdAt(),
  },
  (t) => [index("user_passkeys_user_idx").on(t.userId)],
);

/** A person's id at an identity provider (OpenID Connect). */
export const userIdentities = pgTable(
  "user_identities",
  { issuer: text("issuer").notNull(), subject: text("subject").notNull(), userId: withUser(), createdAt: createdAt() },
  (t) => [
    primaryKey({ name: "user_identities_pkey", columns: [t.issuer, t.subject] }),
    index("user_identities_user_idx").on(t.userId),
  ],
);

/** A person's display preference; server/identity/preferences/schema.ts defines the value per key. */
export const userPreferences = pgTable(
  "user_preferences",
  {
    userId: withUser(),
    key: text("key").notNull(),
    value: jsonb("value").notNull(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ name: "user_preferences_pkey", columns: [t.userId, t.key] }),
    check("user_preferences_value_check", sql`length("value"::text) <= 8192`),
  ],
);
