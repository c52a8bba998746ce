import { z } from "zod";
import { fullEntry, rangeInput, zoneName } from "@/server/audit/schema";
import { CATEGORIES } from "@/server/audit/vocabulary";
import { isoTime } from "@/server/ground/wire";

/** Spec, Limits: report rows read. */
export const MAX_REPORT_ROWS = 5_000;
export const TOP_USERS = 5;
export const RECENT_ENTRIES = 10;

/**
 * Query of the report on activity: telemetry that agents send around the clock would push people out of it, and is counted
 * only when it is asked for.
 */
export const activityInput = rangeInput.safeExtend({ routine: z.enum(["with", "without"]).default("without") });

/**
 * Range of a report on the screen. zone: whose hours of the day are counted, UTC by default; only: people leaves out what
 * keys, agents and the system did; routine: without leaves out evaluations of policies, which repeat around the clock.
 */
export const wholeInput = rangeInput.safeExtend({
  zone: zoneName.optional(),
  only: z.enum(["people"]).optional(),
  routine: z.enum(["without"]).optional(),
});
export type WholeInput = z.output<typeof wholeInput>;

/**
 * Only so many of the newest rows were read when `truncated` is true. from and to are the times of the oldest and the
 * newest row that was counted, submitted is how many of them keys have submitted.
 */
const shared = {
  totalEvents: z.int(),
  truncated: z.boolean(),
  submitted: z.int(),
  from: isoTime.nullable(),
  to: isoTime.nullable(),
};
const byAction = z.array(z.strictObject({ action: z.string(), count: z.int() }));
const recentEvents = z.array(fullEntry);

/** userId is the actor's id, or its own text where that is no UUID. */
const activeUser = z.strictObject({
  userId: z.string(),
  userName: z.string(),
  userEmail: z.string(),
  actionCount: z.int(),
  lastActiveAt: isoTime,
});
export type ActiveUser = z.output<typeof activeUser>;

export const userActivityReport = z.strictObject({
  ...shared,
  totalUsers: z.int(),
  actionsPerUser: z.array(activeUser),
  topUsers: z.array(activeUser),
  recentActivity: recentEvents,
});

export const securityReport = z.strictObject({
  ...shared,
  loginAttempts: z.int(),
  failedLogins: z.int(),
  permissionChanges: z.int(),
  byAction,
  recentEvents,
});

export const complianceReport = z.strictObject({
  ...shared,
  dataAccess: z.int(),
  dataChanges: z.int(),
  exports: z.int(),
  byAction,
  recentEvents,
});

export const statistics = z.strictObject({
  ...shared,
  byCategory: z.array(z.strictObject({ category: z.enum(CATEGORIES), count: z.int() })),
  byUser: z.array(z.strictObject({ userId: z.string(), userName: z.string(), actionCount: z.int() })),
  range: z.strictObject({ from: isoTime.nullable(), to: isoTime.nullable() }),
});
