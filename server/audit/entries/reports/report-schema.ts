import { z } from "zod";
import { fullEntry, rangeInput, zoneName } from "@/server/audit/schema";
import { CATEGORIES } from "@/server/audit/vocabulary";
import { isoTime } from "@/server/ground/wire";

/** Spec, Limits: report rows read. */
export const MAX_REPORT_ROWS = 5_000;
export const TOP_USERS = 5;
export const RECENT_ENTRIES = 10;

/**
 * Query of the activity report. Agents send telemetry around the clock, which would outnumber people, so it is counted
 * only on request.
 */
export const activityInput = rangeInput.safeExtend({ routine: z.enum(["with", "without"]).default("without") });

/**
 * Range of a report on the screen. zone: time zone of the hours, UTC by default; `only: people` omits keys, agents and
 * the system; `routine: without` omits policy evaluations, which repeat around the clock.
 */
export const wholeInput = rangeInput.safeExtend({
  zone: zoneName.optional(),
  only: z.enum(["people"]).optional(),
  routine: z.enum(["without"]).optional(),
});
export type WholeInput = z.output<typeof wholeInput>;

/**
 * If `truncated`, only the newest rows were read. from and to are the times of the oldest and newest row counted;
 * submitted counts rows from API keys.
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

/** userId is the actor's id, or its original text if it is not a UUID. */
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
