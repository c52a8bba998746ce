import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/** How often something was tried, counted for all processes; key is a hash. Unlogged: a crash forgets it. */
export const sharedLimits = pgTable(
  "shared_limits",
  {
    key: text("key").notNull(),
    points: integer("points").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (t) => [
    primaryKey({ name: "shared_limits_pkey", columns: [t.key] }),
    index("shared_limits_expires_idx").on(t.expiresAt),
  ],
);
