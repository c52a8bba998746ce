import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, smallint, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytes, count, createdAt, id, instant } from "./columns";

/**
 * Full tiles of 256 hashes of each organization's Merkle tree, permanent. `hash` is the root over the tile; `leaves`
 * are the 256 leaf hashes of a level 0 tile. A tile of a higher level consists of the hashes of 256 tiles below it.
 */
export const auditTreeTiles = pgTable(
  "audit_tree_tiles",
  {
    orgId: uuid("org_id").notNull(),
    level: smallint("level").notNull(),
    idx: count("idx").notNull(),
    hash: bytes("hash").notNull(),
    leaves: bytes("leaves"),
  },
  (t) => [
    primaryKey({ name: "audit_tree_tiles_pkey", columns: [t.orgId, t.level, t.idx] }),
    check("audit_tree_tiles_level_check", sql`level BETWEEN 0 AND 6`),
    check("audit_tree_tiles_idx_check", sql`idx >= 0`),
    check("audit_tree_tiles_hash_check", sql`octet_length(hash) = 32`),
    check(
      "audit_tree_tiles_leaves_check",
      sql`CASE WHEN level = 0 THEN leaves IS NOT NULL AND octet_length(leaves) = 8192 ELSE leaves IS NULL END`,
    ),
  ],
);

/** Unfinished part of a tree. edge: leaf hashes removed by retention from the unfinished tile. */
export const auditTrees = pgTable(
  "audit_trees",
  {
    orgId: uuid("org_id").primaryKey(),
    edge: bytes("edge"),
  },
  () => [check("audit_trees_edge_check", sql`octet_length(edge) % 32 = 0 AND octet_length(edge) < 8192`)],
);

/** Signed notes: checkpoints, by number of entries, and retention's receipts, by `through`. */
export const auditNotes = pgTable(
  "audit_notes",
  {
    orgId: uuid("org_id").notNull(),
    kind: text("kind", { enum: ["checkpoint", "receipt", "restored"] }).notNull(),
    size: count("size").notNull(),
    signedAt: instant("signed_at").notNull(),
    note: text("note").notNull(),
    timestampToken: bytes("timestamp_token"),
  },
  (t) => [
    primaryKey({ name: "audit_notes_pkey", columns: [t.orgId, t.kind, t.size, t.signedAt] }),
    check("audit_notes_kind_check", sql`kind IN ('checkpoint', 'receipt', 'restored')`),
    check("audit_notes_size_check", sql`size >= 0`),
    check("audit_notes_note_check", sql`octet_length(note) <= 65536`),
    index("audit_notes_signed_idx").on(t.orgId, t.signedAt, t.size).where(sql`kind = 'checkpoint'`),
  ],
);

/**
 * Short links to proofs of single entries. Anyone with a link may open it. Only its hash is stored: the proof is
 * created at each opening, so that a link ends when retention removes the entry.
 */
export const auditSharedProofs = pgTable(
  "audit_shared_proofs",
  {
    id: id(),
    orgId: uuid("org_id").notNull(),
    entryId: uuid("entry_id").notNull(),
    chainSeq: count("chain_seq").notNull(),
    /** SHA-256 in hex of the link's secret. */
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
