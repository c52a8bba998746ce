import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { count, createdAt, id, instant, updatedAt } from "./columns";
import { ofPartner, organizations, withOrganization } from "./organizations";

/** Id of the live position; replays have others. */
const LIVE = sql`'00000000-0000-0000-0000-000000000000'`;

/** Continuous destinations of entries; orgId null: every organization of the partner. Secrets are encrypted. */
export const dataStreams = pgTable(
  "data_streams",
  {
    id: id(),
    partnerId: ofPartner(),
    orgId: uuid("org_id").references(() => organizations.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    kind: text("kind", {
      enum: ["https", "splunk_hec", "datadog", "elasticsearch", "syslog_tls", "relp", "s3"],
    }).notNull(),
    config: jsonb("config").$type<Record<string, unknown>>().notNull(),
    secret: text("secret"),
    formerSecret: text("former_secret"),
    formerUntil: instant("former_until"),
    format: text("format", { enum: ["native", "ocsf", "ocsf_older", "ecs", "cef", "rfc5424"] }).notNull(),
    filter: jsonb("filter").$type<Record<string, unknown>>().notNull().default({}),
    /** Maximum days that retention waits for this stream; null: none. */
    holdDays: integer("hold_days"),
    /** Only people who reach the whole partner may change it. */
    locked: boolean("locked").notNull().default(false),
    state: text("state", { enum: ["draft", "active", "paused", "failing", "blocked", "disabled"] }).notNull(),
    stateCode: text("state_code"),
    stateMessage: text("state_message"),
    stateSince: instant("state_since").notNull(),
    checkedAt: instant("checked_at"),
    createdBy: uuid("created_by"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    check("data_streams_state_check", sql`state IN ('draft', 'active', 'paused', 'failing', 'blocked', 'disabled')`),
    check("data_streams_hold_days_check", sql`hold_days BETWEEN 1 AND 3650`),
    index("data_streams_partner_idx").on(t.partnerId),
    index("data_streams_org_idx").on(t.orgId),
  ],
);

/** A row that is deleted with its stream. */
export const withStream = () =>
  uuid("stream_id")
    .notNull()
    .references(() => dataStreams.id, { onDelete: "cascade" });

/**
 * Position of a stream in an organization's chain: throughSeq was acknowledged; scannedSeq is the end of entries that
 * the filter left out. A replay is a row with an end beside the live one.
 */
export const streamPositions = pgTable(
  "stream_positions",
  {
    streamId: withStream(),
    orgId: withOrganization(),
    replayId: uuid("replay_id").notNull().default(LIVE),
    throughSeq: count("through_seq").notNull(),
    scannedSeq: count("scanned_seq").notNull(),
    untilSeq: count("until_seq"),
    batchNumber: count("batch_number").notNull().default(0),
    digest: text("digest"),
    /** Maximum entries of a batch, after the receiver refused a larger one as too large. */
    maxRows: integer("max_rows"),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: instant("next_attempt_at"),
    busyUntil: instant("busy_until"),
    acknowledgedAt: instant("acknowledged_at"),
    heartbeatAt: instant("heartbeat_at"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: "stream_positions_pkey", columns: [t.streamId, t.orgId, t.replayId] }),
    index("stream_positions_org_idx").on(t.orgId),
  ],
);

/** Limits of a batch, stored before the first attempt, so that every attempt sends the same. */
export const streamBatches = pgTable(
  "stream_batches",
  {
    id: id(),
    streamId: withStream(),
    orgId: withOrganization(),
    replayId: uuid("replay_id").notNull().default(LIVE),
    number: count("number").notNull(),
    firstSeq: count("first_seq").notNull(),
    lastSeq: count("last_seq").notNull(),
    rows: integer("rows").notNull(),
    filtered: integer("filtered").notNull(),
    bytes: integer("bytes").notNull(),
    previous: text("previous"),
    digest: text("digest").notNull(),
    checkpoint: text("checkpoint"),
    gap: jsonb("gap").$type<{ first: number; last: number }>(),
    attempts: integer("attempts").notNull().default(1),
    code: text("code"),
    error: text("error"),
    receipt: jsonb("receipt").$type<Record<string, string | number | null>>(),
    createdAt: createdAt(),
    acknowledgedAt: instant("acknowledged_at"),
  },
  (t) => [
    uniqueIndex("stream_batches_open_key").on(t.streamId, t.orgId, t.replayId).where(sql`acknowledged_at IS NULL`),
    index("stream_batches_stream_idx").on(t.streamId, t.createdAt),
    index("stream_batches_org_idx").on(t.orgId),
  ],
);

/** Entries that a stream will never deliver, and why: removed by retention before, or refused by the receiver. */
export const streamGaps = pgTable(
  "stream_gaps",
  {
    id: id(),
    streamId: withStream(),
    orgId: withOrganization(),
    firstSeq: count("first_seq").notNull(),
    lastSeq: count("last_seq").notNull(),
    reason: text("reason", { enum: ["retention", "refused"] }).notNull(),
    message: text("message"),
    createdAt: createdAt(),
  },
  (t) => [
    check("stream_gaps_reason_check", sql`reason IN ('retention', 'refused')`),
    index("stream_gaps_stream_idx").on(t.streamId, t.createdAt),
    index("stream_gaps_org_idx").on(t.orgId),
  ],
);
