import { sql } from "drizzle-orm";
import { boolean, index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, id, updatedAt } from "./columns";

/**
 * A managed service provider; everything below belongs to exactly one. isPlatform marks the operators' own, whose home
 * organization's log records what has no customer.
 */
export const partners = pgTable(
  "partners",
  {
    id: id(),
    name: text("name").notNull(),
    slug: text("slug").notNull().unique("partners_slug_key"),
    /** For people of all its organizations and its own staff. */
    requireTwoFactor: boolean("require_two_factor").notNull().default(false),
    isPlatform: boolean("is_platform").notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [uniqueIndex("partners_platform_key").on(t.isPlatform).where(sql`is_platform`)],
);

/** A row of a partner. */
export const ofPartner = () =>
  uuid("partner_id")
    .notNull()
    .references(() => partners.id);

/** A customer organization, or (isHome) the partner's own staff. */
export const organizations = pgTable(
  "organizations",
  {
    id: id(),
    partnerId: ofPartner(),
    name: text("name").notNull(),
    slug: text("slug").notNull(),
    isHome: boolean("is_home").notNull().default(false),
    requireTwoFactor: boolean("require_two_factor").notNull().default(false),
    /** IANA time zone of its reports; null if none was chosen. */
    timeZone: text("time_zone"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex("organizations_partner_slug_key").on(t.partnerId, t.slug),
    uniqueIndex("organizations_partner_home_key").on(t.partnerId).where(sql`is_home`),
    index("organizations_partner_idx").on(t.partnerId),
  ],
);

/** A row that keeps its organization from being deleted. */
export const ofOrganization = () =>
  uuid("org_id")
    .notNull()
    .references(() => organizations.id);

/** A row that is deleted with its organization. */
export const withOrganization = () =>
  uuid("org_id")
    .notNull()
    .references(() => organizations.id, { onDelete: "cascade" });
