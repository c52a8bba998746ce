import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, id, instant } from "./columns";

/**
 * Short links to proofs of single entries. Anyone who has a link may open it; only its hash is kept, and nothing of the
 * entry: the proof is made again at each opening, so that a link ends with the entry when retention removes it.
 */
export const auditSharedProofs = pgTable(
  "audit_shared_proofs",
  {
    id: id(),
    orgId: uuid("org_id").notNull(),
    entryId: uuid("entry_id").notNull(),
    chainSeq: bigint("chain_seq", { mode: "number" }).notNull(),
    /** SHA-256 in hex of the secret in the link. */
    tokenHash: text("token_hash").notNull(),
    createdBy: uuid("created_by").notNull(),
    createdByName: text("created_by_name").notNull(),
    createdAt: createdAt(),
    expiresAt: instant("expires_at").notNull(),
    revokedAt: instant("revoked_at"),
    openings: integer("openings").notNull().default(0),
    lastOpenedAt: instant("last_opened_at"),
  },
  (t) => [
    check("audit_shared_proofs_token_hash_check", sql`token_hash ~ '^[0-9a-f]{64}$'`),
    uniqueIndex("audit_shared_proofs_token_hash_key").on(t.tokenHash),
    index("audit_shared_proofs_org_entry_idx").on(t.orgId, t.entryId),
  ],
);
