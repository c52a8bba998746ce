import { sql } from "drizzle-orm";
import { agentStreams, devices } from "@/db/schema";

/** When the agent of devices was last heard: by what it sent, or by its command stream, which says so while it is open. */
export const lastHeard = sql<Date | null>`greatest(${devices.lastSeenAt},
  (SELECT max(coalesce(s.closed_at, s.beat_at)) FROM ${agentStreams} s WHERE s.device_id = ${devices.id}))`.mapWith(
  devices.lastSeenAt,
);
