import { sql } from "drizzle-orm";
import { agentStreams, devices } from "@/db/schema";

/** Time that a device's agent was last heard, by its messages or its open command stream. */
export const lastHeard = sql<Date | null>`greatest(${devices.lastSeenAt},
  (SELECT max(coalesce(s.closed_at, s.beat_at)) FROM ${agentStreams} s WHERE s.device_id = ${devices.id}))`.mapWith(
  devices.lastSeenAt,
);
