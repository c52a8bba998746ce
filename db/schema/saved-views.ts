import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, id, updatedAt } from "./columns";
import { users } from "./identity";
import { organizations, partners } from "./organizations";

/**
 * A named filter of the audit log. orgId null: of a partner; both null: of the platform's operator. Shared views are
 * visible to all users of their organization or partner, others to their creators.
 */
export const auditSavedViews = pgTable(
  "audit_saved_views",
  {
    id: id(),
    partnerId: uuid("partner_id").references(() => partners.id),
    orgId: uuid("org_id").references(() => organizations.id),
    createdBy: uuid("created_by")
      .notNull()
      .references(() => users.id),
    createdByName: text("created_by_name").notNull(),
    name: text("name").notNull(),
    /** The filter part of the viewer's address, such as action=user.login&result=denied. */
    query: text("query").notNull(),
    shared: boolean("shared").notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    check("audit_saved_views_name_check", sql`length(name) BETWEEN 1 AND 80`),
    check("audit_saved_views_query_check", sql`length(query) <= 4000`),
    check("audit_saved_views_owner_check", sql`NOT shared OR partner_id IS NOT NULL`),
    uniqueIndex("audit_saved_views_mine_key").on(t.createdBy, sql`lower(${t.name})`).where(sql`NOT shared`),
    uniqueIndex("audit_saved_views_org_key")
      .on(t.orgId, sql`lower(${t.name})`)
      .where(sql`shared AND org_id IS NOT NULL`),
    uniqueIndex("audit_saved_views_partner_key")
      .on(t.partnerId, sql`lower(${t.name})`)
      .where(sql`shared AND org_id IS NULL`),
    index("audit_saved_views_creator_idx").on(t.createdBy),
  ],
);
