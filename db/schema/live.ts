import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant } from "./columns";
import { agents, withDevice } from "./devices";
import { ofOrganization } from "./organizations";

/**
 * Process with an agent's command stream: one row per agent, the newest stream. closedAt is set on a clean end; an old
 * beatAt means that the process died. Unlogged: after a crash of PostgreSQL agents reconnect.
 */
export const agentStreams = pgTable(
  "agent_streams",
  {
    agentId: text("agent_id")
      .primaryKey()
      .references(() => agents.id, { onDelete: "cascade" }),
    orgId: ofOrganization(),
    deviceId: withDevice(),
    processId: uuid("process_id").notNull(),
    streamId: uuid("stream_id").notNull(),
    connectedAt: instant("connected_at").notNull(),
    beatAt: instant("beat_at").notNull(),
    closedAt: instant("closed_at"),
  },
  (t) => [
    index("agent_streams_device_idx").on(t.deviceId),
    index("agent_streams_org_idx").on(t.orgId),
    index("agent_streams_process_idx").on(t.processId).where(sql`closed_at IS NULL`),
  ],
);

/**
 * Live queries in flight. A row lives as long as a caller waits: deleting it, or leaving `delivered`, decides between
 * answer, timeout and disconnect. params and result are opaque JSON text, so NUL and lone surrogates pass as escapes.
 * Unlogged: a query does not outlive its caller.
 */
export const liveCommands = pgTable(
  "live_commands",
  {
    id: uuid("id").primaryKey(),
    orgId: ofOrganization(),
    deviceId: withDevice(),
    agentId: text("agent_id").notNull(),
    streamId: uuid("stream_id").notNull(),
    processId: uuid("process_id").notNull(),
    requesterId: uuid("asker_id").notNull(),
    name: text("name").notNull(),
    params: text("params").notNull(),
    deadline: instant("deadline").notNull(),
    state: text("state").notNull(),
    result: text("result"),
    createdAt: createdAt(),
  },
  (t) => [
    check("live_commands_state_check", sql`state IN ('waiting', 'delivered', 'answered', 'broken')`),
    index("live_commands_agent_idx").on(t.agentId),
    index("live_commands_org_idx").on(t.orgId),
    index("live_commands_device_idx").on(t.deviceId),
    index("live_commands_stream_idx").on(t.streamId),
    index("live_commands_waiting_idx").on(t.processId).where(sql`state = 'waiting'`),
    index("live_commands_done_idx").on(t.requesterId).where(sql`state IN ('answered', 'broken')`),
  ],
);
