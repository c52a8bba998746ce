import { sql } from "drizzle-orm";
import { check, index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { count, id, instant } from "./columns";

/** A fault in a chain, as reported by the verifier. */
export type StoredBreak = {
  seq: number;
  id: string;
  kind: "altered" | "missing" | "inserted" | "relinked" | "truncated" | "unsealed" | "index";
  expected: string;
  actual: string;
};

/** Part read again by a nightly run, the night's number in its round, and the start of the round. */
export type StoredSlice = { first: number; last: number; night: number; beganAt: string; endsRound: boolean };

/**
 * Results of verifications. verifiedThroughSeq: verified up to here by the nightly run; rollingThroughSeq: progress of
 * its slow second reading, tonight over `slice`. coveredThroughSeq: last row shown to be covered by our own checkpoint.
 */
export const auditVerifications = pgTable(
  "audit_verifications",
  {
    id: id(),
    orgId: uuid("org_id").notNull(),
    ranAt: instant("ran_at").notNull().defaultNow(),
    kind: text("kind", { enum: ["nightly", "whole", "range"] }).notNull(),
    status: text("status", { enum: ["intact", "broken", "unproven", "empty"] }).notNull(),
    reasons: jsonb("reasons").$type<string[]>().notNull().default([]),
    rowsChecked: count("rows_checked").notNull(),
    firstSeq: count("first_seq"),
    lastSeq: count("last_seq"),
    breaks: jsonb("breaks").$type<StoredBreak[]>().notNull().default([]),
    verifiedThroughSeq: count("verified_through_seq"),
    rollingThroughSeq: count("rolling_through_seq"),
    coveredThroughSeq: count("covered_through_seq"),
    slice: jsonb("slice").$type<StoredSlice>(),
  },
  (t) => [
    check("audit_verifications_kind_check", sql`kind IN ('nightly', 'whole', 'range')`),
    check("audit_verifications_status_check", sql`status IN ('intact', 'broken', 'unproven', 'empty')`),
    index("audit_verifications_org_ran_idx").on(t.orgId, t.ranAt),
    // Runs that found a break or ended earlier ones: one probe per chain, however many nights.
    index("audit_verifications_deciding_idx")
      .on(t.orgId, t.ranAt)
      .where(sql`status = 'broken' OR ((kind = 'whole' OR (kind = 'nightly' AND rolling_through_seq IS NULL))
        AND (status IN ('intact', 'empty') OR (status = 'unproven' AND covered_through_seq IS NOT NULL)))`),
    index("audit_verifications_whole_idx").on(t.orgId, t.ranAt).where(sql`kind = 'whole'`),
  ],
);

/**
 * Chains found broken and not yet found intact, shown in every process's banner. raisedAt, source: first finding;
 * lastRaisedAt: latest, before which a reading cannot have started to end the alarm.
 */
export const auditAlarms = pgTable("audit_alarms", {
  orgId: uuid("org_id").primaryKey(),
  raisedAt: instant("raised_at").notNull(),
  lastRaisedAt: instant("last_raised_at").notNull().defaultNow(),
  source: text("source", { enum: ["nightly", "checkpoint", "on demand", "head", "retention", "recording"] }).notNull(),
  breaks: jsonb("breaks").$type<StoredBreak[]>().notNull(),
});
