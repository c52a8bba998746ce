import { type SQL, sql } from "drizzle-orm";
import { devices } from "@/db/schema";
import { ONLINE_WINDOW_SECONDS } from "./schema";

/** The moment since which a device must have been heard of to count as online. */
const since = (now: Date): Date => new Date(now.getTime() - ONLINE_WINDOW_SECONDS * 1000);

/** True when the device was heard of within the window. */
export const isOnline = (lastSeenAt: Date | null, now: Date): boolean =>
  lastSeenAt !== null && lastSeenAt >= since(now);

/** isOnline as a condition over devices; never NULL. */
export const onlineCondition = (now: Date): SQL =>
  sql`coalesce(${devices.lastSeenAt} >= ${since(now).toISOString()}::timestamptz, false)`;
