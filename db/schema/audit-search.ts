import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytes, instant } from "./columns";

/**
 * What the background indexer knows of audit_logs; all of it can be made again from there. One row stands for a block of
 * some eight consecutive rows of a chain: `tags` are hashes of their exact values, `text` is their searchable text but for
 * action and resource type, which are with actor type and result in `kinds`.
 * rough marks a block whose text may hold more than its rows do, so that a match in it must be looked up.
 */
export const auditSearch = pgTable(
  "audit_search",
  {
    orgId: uuid("org_id").notNull(),
    firstSeq: bigint("first_seq", { mode: "bigint" }).notNull(),
    lastSeq: bigint("last_seq", { mode: "bigint" }).notNull(),
    minAt: instant("min_at").notNull(),
    maxAt: instant("max_at").notNull(),
    rough: boolean("rough").notNull(),
    tags: integer("tags").array().notNull(),
    text: text("text").notNull(),
    kinds: text("kinds").notNull(),
  },
  (t) => [
    primaryKey({ name: "audit_search_pkey", columns: [t.orgId, t.firstSeq] }),
    index("audit_search_newest_idx").on(t.orgId, t.maxAt, t.firstSeq, t.minAt),
    index("audit_search_rough_idx").on(t.orgId, t.firstSeq).where(sql`rough`),
    index("audit_search_terms_idx").using("gin", t.orgId, t.tags, t.text.op("gin_trgm_ops")),
  ],
);

/** How many rows of each kind the hour from `since` holds, counted a slice of the chain at a time. */
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

/** How many rows of each actor the UTC day from `since` holds, and the newest of them, a slice of the chain at a time. */
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

/** How many rows of each kind a slice of the chain has. */
export const auditKindCounts = pgTable(
  "audit_kind_counts",
  {
    orgId: uuid("org_id").notNull(),
    firstSeq: bigint("first_seq", { mode: "bigint" }).notNull(),
    lastSeq: bigint("last_seq", { mode: "bigint" }).notNull(),
    action: text("action").notNull(),
    resourceType: text("resource_type").notNull(),
    actorType: text("actor_type").notNull(),
    result: text("result").notNull(),
    rows: integer("rows").notNull(),
  },
  (t) => [index("audit_kind_counts_org_idx").on(t.orgId, t.firstSeq)],
);

/**
 * What a slice's count of one actor or resource knows of its rows besides: their span of time and their sequences, the
 * last three bytes of each, where they are few (db: audit_search_values).
 */
const whereRowsAre = () => ({ firstAt: instant("first_at"), lastAt: instant("last_at"), seqs: bytes("seqs") });

/** How many rows a slice of the chain has of each actor. */
export const auditActorCounts = pgTable(
  "audit_actor_counts",
  {
    orgId: uuid("org_id").notNull(),
    firstSeq: bigint("first_seq", { mode: "bigint" }).notNull(),
    lastSeq: bigint("last_seq", { mode: "bigint" }).notNull(),
    actorType: text("actor_type").notNull(),
    actorId: uuid("actor_id").notNull(),
    rawId: text("raw_id"),
    email: text("email"),
    rows: integer("rows").notNull(),
    ...whereRowsAre(),
  },
  (t) => [
    index("audit_actor_counts_org_idx").on(t.orgId, t.firstSeq),
    index("audit_actor_counts_actor_idx").on(t.orgId, t.actorId),
  ],
);

/** Who acted in a chain: each actor that a slice counts, under each name. nameHash stands for the rest of the row. */
export const auditActors = pgTable(
  "audit_actors",
  {
    orgId: uuid("org_id").notNull(),
    actorId: uuid("actor_id").notNull(),
    nameHash: uuid("name_hash").notNull(),
    actorType: text("actor_type").notNull(),
    rawId: text("raw_id"),
    email: text("email"),
  },
  (t) => [primaryKey({ name: "audit_actors_pkey", columns: [t.orgId, t.actorId, t.nameHash] })],
);

/** How many rows a slice of the chain has of each resource. */
export const auditResourceCounts = pgTable(
  "audit_resource_counts",
  {
    orgId: uuid("org_id").notNull(),
    firstSeq: bigint("first_seq", { mode: "bigint" }).notNull(),
    lastSeq: bigint("last_seq", { mode: "bigint" }).notNull(),
    resourceType: text("resource_type").notNull(),
    resourceId: uuid("resource_id"),
    resourceName: text("resource_name"),
    rows: integer("rows").notNull(),
    ...whereRowsAre(),
  },
  (t) => [
    index("audit_resource_counts_org_idx").on(t.orgId, t.firstSeq),
    index("audit_resource_counts_resource_idx").on(t.orgId, t.resourceId),
  ],
);

/** Distinct values that filters give a part of: kind 'action', 'email' and 'device'; and what rows are: kind 'row'. */
export const auditSearchTerms = pgTable(
  "audit_search_terms",
  { orgId: uuid("org_id").notNull(), kind: text("kind").notNull(), value: text("value").notNull() },
  (t) => [primaryKey({ name: "audit_search_terms_pkey", columns: [t.orgId, t.kind, t.value] })],
);

/** How far the indexer has come in each chain: blocks, tallies, slices that were merged, retention. */
export const auditSearchState = pgTable("audit_search_state", {
  orgId: uuid("org_id").primaryKey(),
  indexedThroughSeq: bigint("indexed_through_seq", { mode: "bigint" }).notNull().default(sql`0`),
  talliedThroughSeq: bigint("tallied_through_seq", { mode: "bigint" }).notNull().default(sql`0`),
  prunedThroughSeq: bigint("pruned_through_seq", { mode: "bigint" }).notNull().default(sql`0`),
  mergedThroughSeq: bigint("merged_through_seq", { mode: "bigint" }).notNull().default(sql`0`),
});
