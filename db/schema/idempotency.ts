import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * What a request with an Idempotency-Key was answered; without a status it is still under way. caller and keyHash are
 * hashes, answer is sealed with a key that only the caller's Idempotency-Key and the server's secret make together.
 */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    caller: text("caller").notNull(),
    keyHash: text("key_hash").notNull(),
    requestHash: text("request_hash").notNull(),
    status: integer("status"),
    answer: text("answer"),
    claimedAt: instant("claimed_at").notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: "idempotency_keys_pkey", columns: [t.caller, t.keyHash] }),
    index("idempotency_keys_claimed_idx").on(t.claimedAt),
  ],
);
