import { sql } from "drizzle-orm";
import { check, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { updatedAt } from "./columns";
import { users } from "./identity";

/** How a person likes a part of the product to look; value is what server/identity/preferences/schema.ts says of the key. */
export const userPreferences = pgTable(
  "user_preferences",
  {
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    key: text("key").notNull(),
    value: jsonb("value").notNull(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ name: "user_preferences_pkey", columns: [t.userId, t.key] }),
    check("user_preferences_value_check", sql`length("value"::text) <= 8192`),
  ],
);
