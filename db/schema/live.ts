import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant } from "./columns";
import { agents, devices } from "./devices";
import { organizations } from "./organizations";

/**
 * Which process holds an agent's command stream: one row an agent, the newest stream. closedAt is set at a clean end;
 * a beatAt that grew old belongs to a process that died. Unlogged: after a crash of PostgreSQL the agents come again.
 */
export const agentStreams = pgTable(
  "agent_streams",
  {
    agentId: text("agent_id")
      .primaryKey()
      .references(() => agents.id, { onDelete: "cascade" }),
    orgId: uuid("org_id")
      .notNull()
      .references(() => organizations.id),
    deviceId: uuid("device_id")
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
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
 * Live queries in flight. A row lives as long as a caller waits for its answer: deleting it, or leaving `delivered`,
 * is what decides between an answer, a timeout and a disconnect. params and result are JSON text that nothing looks
 * into, so NUL and lone surrogates pass as their escapes. Unlogged: a query does not outlive the caller.
 */
export const liveCommands = pgTable(
  "live_commands",
  {
    id: uuid("id").primaryKey(),
    orgId: uuid("org_id")
      .notNull()
      .references(() => organizations.id),
    deviceId: uuid("device_id")
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
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
