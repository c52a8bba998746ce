import { sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { MAX_COMMANDS_PER_AGENT, STREAM_DEAD_AFTER_SECONDS } from "./schema";

export type NewCommand = {
  id: string;
  agentId: string;
  requesterId: string;
  name: string;
  params: string;
  timeoutMs: number;
};
export type Placed =
  | { kind: "offline" }
  | { kind: "busy" }
  | { kind: "placed"; streamId: string; processId: string; deadline: string };
export type Waiting = { id: string; agentId: string; streamId: string; name: string; params: string; deadline: string };
export type Done = { id: string; state: "answered" | "broken"; result: string | null };

/** Answers fetched at once, of up to 5 MiB each. */
const DONE_BATCH = 16;

/** A column as JSON time; the database's clock applies to every process. */
const iso = (column: string) => sql.raw(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** Adds a query to its agent's registered stream. On the requester's own process it needs no fetching. */
export async function queueCommand(command: NewCommand): Promise<Placed> {
  const rows = await asSystem((tx) =>
    rowsOf<{ connected: boolean; streamId: string | null; processId: string; deadline: string }>(
      tx,
      sql`
      WITH stream AS (
        SELECT * FROM agent_streams WHERE agent_id = ${command.agentId} AND closed_at IS NULL
          AND beat_at > now() - make_interval(secs => ${STREAM_DEAD_AFTER_SECONDS})),
      added AS (
        INSERT INTO live_commands (id, org_id, device_id, agent_id, stream_id, process_id, asker_id, name, params, deadline, state)
        SELECT ${command.id}, org_id, device_id, agent_id, stream_id, process_id, ${command.requesterId}, ${command.name},
          ${command.params}, now() + make_interval(secs => ${command.timeoutMs / 1000}::float8),
          CASE WHEN process_id = ${command.requesterId} THEN 'delivered' ELSE 'waiting' END
        FROM stream WHERE ${MAX_COMMANDS_PER_AGENT}::int > (
          SELECT count(*) FROM live_commands
          WHERE agent_id = ${command.agentId} AND state IN ('waiting', 'delivered') AND deadline > now())
        RETURNING stream_id, process_id, deadline)
      SELECT EXISTS (SELECT FROM stream) AS connected, added.stream_id AS "streamId", added.process_id AS "processId",
        ${iso("added.deadline")} AS deadline
      FROM (SELECT) one LEFT JOIN added ON true`,
    ),
  );
  const row = rows[0];
  if (!row?.connected) return { kind: "offline" };
  if (!row.streamId) return { kind: "busy" };
  return { kind: "placed", streamId: row.streamId, processId: row.processId, deadline: row.deadline };
}

/** Takes the waiting queries of a process's streams; each is taken once. */
export function claimWaiting(processId: string): Promise<Waiting[]> {
  return asSystem((tx) =>
    rowsOf<Waiting>(
      tx,
      sql`
      UPDATE live_commands SET state = 'delivered'
      WHERE process_id = ${processId} AND state = 'waiting' AND deadline > now()
      RETURNING id, agent_id AS "agentId", stream_id AS "streamId", name, params, ${iso("deadline")} AS deadline`,
    ),
  );
}

/** The command for an awaited answer; null if it is not this agent's. */
export async function readCommand(agentId: string, id: string): Promise<{ name: string; params: string } | null> {
  const rows = await asSystem((tx) =>
    rowsOf<{ name: string; params: string }>(
      tx,
      sql`SELECT name, params FROM live_commands WHERE id = ${id} AND agent_id = ${agentId} AND state = 'delivered'`,
    ),
  );
  return rows[0] ?? null;
}

/**
 * Accepts an answer on another process than the requester's.
 * @returns the requester to notify, or null when none waits for it (late, repeated, unknown, another agent's).
 */
export async function storeAnswer(agentId: string, id: string, result: string): Promise<string | null> {
  const rows = await asSystem((tx) =>
    rowsOf<{ requesterId: string }>(
      tx,
      sql`
      UPDATE live_commands SET state = 'answered', result = ${result}
      WHERE id = ${id} AND agent_id = ${agentId} AND state = 'delivered' AND deadline > now()
      RETURNING asker_id AS "requesterId"`,
    ),
  );
  return rows[0]?.requesterId ?? null;
}

/** Accepts an answer on the requester's own process. @returns false when already answered or broken. */
export async function claimAnswer(agentId: string, id: string): Promise<boolean> {
  const rows = await asSystem((tx) =>
    tx.execute(sql`
      DELETE FROM live_commands WHERE id = ${id} AND agent_id = ${agentId} AND state = 'delivered' RETURNING id`),
  );
  return rows.length > 0;
}

/** Takes a batch of finished queries of a requester's process; call until it returns none. */
export function claimDone(requesterId: string): Promise<Done[]> {
  return asSystem((tx) =>
    rowsOf<Done>(
      tx,
      sql`
      DELETE FROM live_commands WHERE id IN (
        SELECT id FROM live_commands WHERE asker_id = ${requesterId} AND state IN ('answered', 'broken') LIMIT ${DONE_BATCH})
      RETURNING id, state, result`,
    ),
  );
}

/** Deletes queries without a waiting requester. */
export async function dropCommands(ids: readonly string[]): Promise<void> {
  await asSystem((tx) => tx.execute(sql`DELETE FROM live_commands WHERE id = ANY (${uuids(ids)})`));
}
