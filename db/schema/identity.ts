import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, id, instant, updatedAt } from "./columns";
import { ofOrganization, ofPartner, organizations, partners, withOrganization } from "./organizations";

/**
 * A person. orgId set: organization scope; orgId null: partner scope, over all of the partner's organizations or
 * (allOrganizations false) those in user_organizations; a system_admin belongs to the platform's own partner and
 * reaches everything. Without passwordHash the person is invited and has not chosen a password, or only signs in by an
 * identity provider.
 */
export const users = pgTable(
  "users",
  {
    id: id(),
    partnerId: uuid("partner_id").references(() => partners.id),
    orgId: uuid("org_id").references(() => organizations.id),
    email: text("email").notNull(),
    name: text("name").notNull(),
    passwordHash: text("password_hash"),
    role: text("role", {
      enum: [
        "org_admin",
        "org_technician",
        "org_viewer",
        "partner_admin",
        "partner_technician",
        "partner_viewer",
        "system_admin",
      ],
    }).notNull(),
    department: text("department").notNull().default(""),
    allOrganizations: boolean("all_organizations").notNull().default(true),
    /** For this person, whatever their organization requires. */
    requireTwoFactor: boolean("require_two_factor").notNull().default(false),
    disabledAt: instant("disabled_at"),
    lastLoginAt: instant("last_login_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex("users_email_key").on(sql`lower(${t.email})`),
    index("users_org_idx").on(t.orgId),
    index("users_partner_idx").on(t.partnerId),
  ],
);

/** A row that is deleted with its person. */
export const withUser = () =>
  uuid("user_id")
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

export const userOrganizations = pgTable(
  "user_organizations",
  {
    userId: withUser(),
    orgId: withOrganization(),
  },
  (t) => [primaryKey({ name: "user_organizations_pkey", columns: [t.userId, t.orgId] })],
);

/** One row per refresh token; a used one that returns revokes its family. */
export const refreshTokens = pgTable(
  "refresh_tokens",
  {
    id: id(),
    familyId: uuid("family_id").notNull(),
    userId: withUser(),
    tokenHash: text("token_hash").notNull().unique("refresh_tokens_hash_key"),
    expiresAt: instant("expires_at").notNull(),
    usedAt: instant("used_at"),
    revokedAt: instant("revoked_at"),
    createdAt: createdAt(),
  },
  (t) => [index("refresh_tokens_family_idx").on(t.familyId), index("refresh_tokens_user_idx").on(t.userId)],
);

/**
 * A program's key. orgId null: every organization of the partner. formerHash is the previous secret's, valid until
 * formerUntil.
 */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: id(),
    partnerId: ofPartner(),
    orgId: uuid("org_id").references(() => organizations.id),
    name: text("name").notNull(),
    prefix: text("prefix").notNull(),
    keyHash: text("key_hash").notNull().unique("api_keys_hash_key"),
    permissions: text("permissions").array().notNull(),
    expiresAt: instant("expires_at"),
    revokedAt: instant("revoked_at"),
    lastUsedAt: instant("last_used_at"),
    lastUsedIp: text("last_used_ip"),
    formerHash: text("former_hash").unique("api_keys_former_key"),
    formerUntil: instant("former_until"),
    createdBy: uuid("created_by"),
    createdAt: createdAt(),
  },
  (t) => [index("api_keys_partner_idx").on(t.partnerId), index("api_keys_org_idx").on(t.orgId)],
);

export const enrollmentKeys = pgTable(
  "enrollment_keys",
  {
    id: id(),
    orgId: ofOrganization(),
    prefix: text("prefix").notNull(),
    keyHash: text("key_hash").notNull().unique("enrollment_keys_hash_key"),
    maxUses: integer("max_uses"),
    uses: integer("uses").notNull().default(0),
    expiresAt: instant("expires_at"),
    revokedAt: instant("revoked_at"),
    createdBy: uuid("created_by"),
    createdAt: createdAt(),
  },
  (t) => [index("enrollment_keys_org_idx").on(t.orgId)],
);
