import { type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { unknownToken } from "@/server/ground/errors";
import { STREAM_DEAD_AFTER_SECONDS } from "./schema";

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
