import { sql } from "drizzle-orm";
import { bigint, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytes, instant } from "./columns";

/**
 * Inverted index of consecutive rows of a chain (server/audit/search); immutable, and rebuildable from audit_logs at
 * any time. `times` has the time of each row; `grams` tells which texts a block cannot contain.
 */
export const auditSegments = pgTable(
  "audit_segments",
  {
    orgId: uuid("org_id").notNull(),
    firstSeq: bigint("first_seq", { mode: "bigint" }).notNull(),
    lastSeq: bigint("last_seq", { mode: "bigint" }).notNull(),
    id: uuid("id").notNull(),
    oldestAt: instant("oldest_at").notNull(),
    newestAt: instant("newest_at").notNull(),
    actions: text("actions").array().notNull(),
    times: bytes("times").notNull(),
    grams: bytes("grams").notNull(),
  },
  (t) => [primaryKey({ name: "audit_segments_pkey", columns: [t.orgId, t.firstSeq] })],
);

/** Terms of a segment, and their rows. */
export const auditSegmentBlocks = pgTable(
  "audit_segment_blocks",
  {
    orgId: uuid("org_id").notNull(),
    segmentId: uuid("segment_id").notNull(),
    block: integer("block").notNull(),
    words: bytes("words").notNull(),
    postings: bytes("postings").notNull(),
  },
  (t) => [primaryKey({ name: "audit_segment_blocks_pkey", columns: [t.orgId, t.segmentId, t.block] })],
);

/** Rows of each kind in the hour from `since`, counted per slice of the chain. */
export const auditTallies = pgTable(
  "audit_tallies",
  {
    orgId: uuid("org_id").notNull(),
    firstSeq: bigint("first_seq", { mode: "bigint" }).notNull(),
    lastSeq: bigint("last_seq", { mode: "bigint" }).notNull(),
    since: instant("since").notNull(),
    action: text("action").notNull(),
    actorType: text("actor_type").notNull(),
    result: text("result").notNull(),
    resourceType: text("resource_type").notNull(),
    rows: integer("rows").notNull(),
  },
  (t) => [index("audit_tallies_org_idx").on(t.orgId, t.firstSeq)],
);

/** Rows of each actor on the UTC day from `since`, and the newest of them, counted per slice of the chain. */
export const auditActorTallies = pgTable(
  "audit_actor_tallies",
  {
    orgId: uuid("org_id").notNull(),
    firstSeq: bigint("first_seq", { mode: "bigint" }).notNull(),
    lastSeq: bigint("last_seq", { mode: "bigint" }).notNull(),
    since: instant("since").notNull(),
    actorType: text("actor_type").notNull(),
    actorId: uuid("actor_id").notNull(),
    rawId: text("raw_id"),
    email: text("email"),
    lastAt: instant("last_at").notNull(),
    rows: integer("rows").notNull(),
  },
  (t) => [index("audit_actor_tallies_org_idx").on(t.orgId, t.firstSeq)],
);

/** Progress of each chain's tallies, and the pruning applied to them. */
export const auditTallyState = pgTable("audit_tally_state", {
  orgId: uuid("org_id").primaryKey(),
  talliedThroughSeq: bigint("tallied_through_seq", { mode: "bigint" }).notNull().default(sql`0`),
  prunedThroughSeq: bigint("pruned_through_seq", { mode: "bigint" }).notNull().default(sql`0`),
});

/** First and last row of a chain that shows an actor with an address, network or user agent. */
export const auditFirstSeen = pgTable(
  "audit_first_seen",
  {
    orgId: uuid("org_id").notNull(),
    kind: text("kind").notNull(),
    actorType: text("actor_type").notNull(),
    actor: text("actor").notNull(),
    digest: uuid("digest").notNull(),
    value: text("value").notNull(),
    firstSeq: bigint("first_seq", { mode: "bigint" }).notNull(),
    lastSeq: bigint("last_seq", { mode: "bigint" }).notNull(),
    firstAt: instant("first_at").notNull(),
    lastAt: instant("last_at").notNull(),
  },
  (t) => [
    primaryKey({ name: "audit_first_seen_pkey", columns: [t.orgId, t.kind, t.actorType, t.actor, t.digest] }),
    index("audit_first_seen_seq_idx").on(t.orgId, t.firstSeq),
  ],
);

/** Progress of a chain's first sightings, and the pruning applied to them. */
export const auditFirstSeenState = pgTable("audit_first_seen_state", {
  orgId: uuid("org_id").primaryKey(),
  throughSeq: bigint("through_seq", { mode: "bigint" }).notNull().default(sql`0`),
  prunedThroughSeq: bigint("pruned_through_seq", { mode: "bigint" }).notNull().default(sql`0`),
});
