import { type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { unknownToken } from "@/server/ground/errors";
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

export type StreamRow = { agentId: string; orgId: string; deviceId: string; streamId: string; processId: string };
/** Requesters to notify that a stream's commands will not be answered, and the stream that was replaced. */
export type Opened = { replaced: { streamId: string; processId: string } | null; requesters: string[] };
/** Process that held a stream, and requesters to notify that its commands will not be answered. */
export type Closed = { processIds: string[]; requesters: string[] };

/** Breaks the commands that meet a condition and still wait for an answer. @returns whom to notify. */
async function breakCommands(tx: Tx, where: SQL): Promise<string[]> {
  const broken = await rowsOf<{ requesterId: string }>(
    tx,
    sql`
    UPDATE live_commands SET state = 'broken' WHERE ${where} AND state IN ('waiting', 'delivered')
    RETURNING asker_id AS "requesterId"`,
  );
  return [...new Set(broken.map((row) => row.requesterId))];
}

/**
 * Registers a stream as its agent's only one; queries on an older one are broken.
 * @throws AppError unauthenticated for an agent that was revoked since its token was looked up
 */
export function listStream(row: StreamRow): Promise<Opened> {
  return asSystem(async (tx) => {
    // Serializes concurrent streams of one agent, so that the older learns of the newer.
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`live:${row.agentId}`}, 0))`);
    // A concurrent revocation sees this stream registered, or prevents its registration.
    const [agent] = await rowsOf<{ isRevoked: boolean }>(
      tx,
      sql`
      SELECT revoked_at IS NOT NULL AS "isRevoked" FROM agents WHERE id = ${row.agentId} FOR SHARE`,
    );
    if (!agent || agent.isRevoked) throw unknownToken();
    const [old] = await rowsOf<{ streamId: string; processId: string }>(
      tx,
      sql`
      SELECT stream_id AS "streamId", process_id AS "processId" FROM agent_streams
      WHERE agent_id = ${row.agentId} AND closed_at IS NULL`,
    );
    await tx.execute(sql`
      INSERT INTO agent_streams (agent_id, org_id, device_id, process_id, stream_id, connected_at, beat_at)
      VALUES (${row.agentId}, ${row.orgId}, ${row.deviceId}, ${row.processId}, ${row.streamId}, now(), now())
      ON CONFLICT (agent_id) DO UPDATE SET org_id = excluded.org_id, device_id = excluded.device_id,
        process_id = excluded.process_id, stream_id = excluded.stream_id,
        connected_at = excluded.connected_at, beat_at = excluded.beat_at, closed_at = NULL`);
    const older = sql`agent_id = ${row.agentId} AND stream_id <> ${row.streamId}`;
    return { replaced: old ?? null, requesters: await breakCommands(tx, older) };
  });
}

/** Records a stream's end, unless a newer one replaced it, and breaks its commands. @returns requesters to notify. */
export function unlistStream(agentId: string, streamId: string): Promise<string[]> {
  return asSystem(async (tx) => {
    await tx.execute(sql`
      UPDATE agent_streams SET closed_at = now() WHERE agent_id = ${agentId} AND stream_id = ${streamId} AND closed_at IS NULL`);
    return breakCommands(tx, sql`stream_id = ${streamId}`);
  });
}

/** Unregisters an agent's stream and breaks its commands, in the transaction that revokes its token. */
export async function closeStream(tx: Tx, agentId: string): Promise<Closed> {
  const closed = await rowsOf<{ processId: string }>(
    tx,
    sql`
    UPDATE agent_streams SET closed_at = now() WHERE agent_id = ${agentId} AND closed_at IS NULL
    RETURNING process_id AS "processId"`,
  );
  return {
    processIds: closed.map((row) => row.processId),
    requesters: await breakCommands(tx, sql`agent_id = ${agentId}`),
  };
}

/** Streams of a process that are still registered, and their agents' access. */
export async function listedStreams(processId: string): Promise<Set<string>> {
  const rows = await asSystem((tx) =>
    rowsOf<{ streamId: string }>(
      tx,
      sql`
      SELECT s.stream_id AS "streamId" FROM agent_streams s JOIN agents a ON a.id = s.agent_id
      WHERE s.process_id = ${processId} AND s.closed_at IS NULL AND a.revoked_at IS NULL`,
    ),
  );
  return new Set(rows.map((row) => row.streamId));
}

/** Updates the sign of life of a process's open streams. */
export async function beatStreams(processId: string, streamIds: readonly string[]): Promise<void> {
  if (streamIds.length === 0) return;
  await asSystem((tx) =>
    tx.execute(sql`
      UPDATE agent_streams SET beat_at = now()
      WHERE process_id = ${processId} AND stream_id = ANY (${uuids(streamIds)}) AND closed_at IS NULL`),
  );
}

/** Removes streams of dead processes and unfetched commands. @returns requesters to notify. */
export async function closeDeadStreams(): Promise<string[]> {
  return asSystem(async (tx) => {
    const dead = await rowsOf<{ streamId: string }>(
      tx,
      sql`
      UPDATE agent_streams SET closed_at = beat_at
      WHERE closed_at IS NULL AND beat_at < now() - make_interval(secs => ${STREAM_DEAD_AFTER_SECONDS})
      RETURNING stream_id AS "streamId"`,
    );
    const requesters = await breakCommands(tx, sql`stream_id = ANY (${uuids(dead.map((row) => row.streamId))})`);
    await tx.execute(sql`DELETE FROM live_commands WHERE deadline < now() - interval '1 minute'`);
    return requesters;
  });
}
