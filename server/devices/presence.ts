import { type SQL, sql } from "drizzle-orm";
import { agentStreams, devices } from "@/db/schema";
import { STREAM_DEAD_AFTER_SECONDS } from "./live/schema";
import { ONLINE_WINDOW_SECONDS, STOPPED } from "./schema";

/**
 * Condition that a device is online, never NULL. Its agent's command stream decides: open means online, ended means
 * offline at once. A sign of life newer than the stream's end (an agent without a stream) counts by age, unless it was
 * the last before the agent stopped.
 */
export const onlineCondition = (now: Date): SQL<boolean> => {
  const at = sql`${now.toISOString()}::timestamptz`;
  const stream = sql`SELECT FROM ${agentStreams} s WHERE s.device_id = ${devices.id}`;
  return sql<boolean>`(
    EXISTS (${stream} AND s.closed_at IS NULL AND s.beat_at > ${at} - make_interval(secs => ${STREAM_DEAD_AFTER_SECONDS}))
    OR (coalesce(${devices.lastSeenAt} >= ${at} - make_interval(secs => ${ONLINE_WINDOW_SECONDS}), false)
      AND ${devices.status} IS DISTINCT FROM ${STOPPED}
      AND NOT EXISTS (${stream} AND coalesce(s.closed_at, s.beat_at) >= ${devices.lastSeenAt})))`;
};
