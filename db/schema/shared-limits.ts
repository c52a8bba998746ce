import { bigint, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";

/** Attempts counted for all processes by rate-limiter-flexible; key is a hash, expire in ms. Unlogged: a crash forgets it. */
export const sharedLimits = pgTable(
  "shared_limits",
  {
    key: text("key").notNull(),
    points: integer("points").notNull(),
    expire: bigint("expire", { mode: "number" }),
  },
  (t) => [primaryKey({ name: "shared_limits_pkey", columns: [t.key] })],
);
