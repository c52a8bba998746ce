import { setTimeout as sleep } from "node:timers/promises";
import { isReady, killPostgres, killServer, type Server, startServer, stopServer } from "@/testing/server";
import { type StreamReceiver, startStreamReceiver } from "@/testing/stream-receiver";
import { untilWritten } from "./compare";
import { ownerOf } from "./folder";
import { withFolder } from "./kills";
import { type Credentials, json, nothingYet, prepare, signIn, startLoad, underLoad } from "./load";
import type { Line, LineInput, Outcome } from "./types";

const WRITERS = 4;
/** A kill is likely to come between what the receiver stored and its answer. */
const ANSWER_DELAY_MS = 40;
const CAUGHT_UP_MS = 90_000;
const LOCAL = { TRAILMARK_WEBHOOKS_PRIVATE: "true", TRAILMARK_WEBHOOKS_HTTP: "true" };

type Stream = { id: string; state: string; lag: { entries: number } };
type World = { server: Server; receiver: StreamReceiver; credentials: Credentials; id: string };

async function startStream({ server, receiver, credentials }: Omit<World, "id">): Promise<string> {
  const { accessToken: token, orgId } = credentials;
  const body = { name: "Torture", kind: "https", orgId, config: { url: receiver.url }, start: "beginning" };
  const { id } = await json<Stream>(server.base, { method: "POST", path: "/streams", token, body });
  const { ok } = await json<{ ok: boolean }>(server.base, { method: "POST", path: `/streams/${id}/check`, token });
  if (!ok) throw new Error("the check of the stream failed");
  receiver.delayMs = ANSWER_DELAY_MS;
  return id;
}

/** Waits until the receiver has acknowledged everything. @returns how far it is behind after that */
async function behind({ server, id }: World): Promise<number> {
  await untilWritten(server.base);
  const token = await signIn(server.base);
  const look = () => json<Stream>(server.base, { method: "GET", path: `/streams/${id}`, token });
  const deadline = Date.now() + CAUGHT_UP_MS;
  for (;;) {
    const { lag } = await look();
    if (lag.entries === 0 || Date.now() > deadline) return lag.entries;
    await sleep(250);
  }
}

/** Removes the limits of what is in flight, as a product would lose them that keeps them in memory. */
async function forgetLimits(server: Server): Promise<void> {
  const sql = ownerOf(server);
  try {
    await sql`ALTER TABLE stream_batches NO FORCE ROW LEVEL SECURITY`;
    await sql`DELETE FROM stream_batches WHERE acknowledged_at IS NULL`;
    await sql`ALTER TABLE stream_batches FORCE ROW LEVEL SECURITY`;
  } finally {
    await sql.end();
  }
}

type Found = { lost: number; disordered: number; repeated: number; rebatched: number; entries: number };

/** What the receiver kept against the log. rebatched: entries that came in more than one batch, or one batch in two forms. */
async function compareWith({ server, receiver, credentials: { orgId } }: World): Promise<Found> {
  const sql = ownerOf(server);
  const rows = await sql<{ id: string }[]>`SELECT id FROM audit_logs WHERE org_id = ${orgId} ORDER BY chain_seq`;
  await sql.end();
  const first = new Map<string, number>();
  const batchOf = new Map<string, string>();
  const bodies = new Map<string, string>();
  let repeated = 0;
  let rebatched = 0;
  for (const { headers, lines, raw } of receiver.received) {
    const batch = String(headers["webhook-id"]);
    const entries = lines.filter((line) => line.type === "trailmark.entry.v1" && line.orgId === orgId);
    if (entries.length === 0) continue;
    const body = raw.toString("base64");
    if ((bodies.get(batch) ?? body) !== body) rebatched++;
    bodies.set(batch, body);
    for (const { id, chainSeq } of entries) {
      if (first.has(id)) repeated++;
      else first.set(id, chainSeq);
      if ((batchOf.get(id) ?? batch) !== batch) rebatched++;
      batchOf.set(id, batch);
    }
  }
  const order = [...first.values()];
  return {
    entries: rows.length,
    lost: rows.filter(({ id }) => !first.has(id)).length,
    disordered: order.filter((seq, i) => i > 0 && seq < (order[i - 1] ?? 0)).length,
    repeated,
    rebatched,
  };
}

/** One kill: of the server, of PostgreSQL, or of the receiver, in turn. */
async function kill({ server, receiver }: World, what: "server" | "postgres" | "receiver"): Promise<Server> {
  if (what === "receiver") {
    receiver.answer = () => "cut";
    await sleep(1_500);
    receiver.answer = () => ({ status: 204 });
    return server;
  }
  if (what === "server") {
    await killServer(server);
    return server;
  }
  await killPostgres(server.dataDir);
  for (const end = Date.now() + 30_000; !(await isReady(server.base)) && Date.now() < end; ) await sleep(50);
  return server;
}

const KILLS = ["server", "postgres", "receiver"] as const;

type Run = Found & { behind: number; kills: number };

async function run({ rounds, random }: LineInput, forgets: boolean): Promise<Run> {
  const receiver = await startStreamReceiver();
  try {
    return await withFolder(async (dataDir, port) => {
      let server = await startServer({ dataDir, port, env: LOCAL });
      const credentials = await prepare(server.base);
      const world: World = { server, receiver, credentials, id: await startStream({ server, receiver, credentials }) };
      const acked = nothingYet();
      for (let round = 0; round < rounds; round++) {
        const what = forgets ? "server" : (KILLS[round % KILLS.length] ?? "server");
        const stop = startLoad(server.base, { credentials, acked }, WRITERS);
        await underLoad(acked, 1_500 + random() * 2_000);
        // Likely in the middle of a batch, whose answer the sender never hears.
        if (what === "server") receiver.answer = () => "cut";
        await sleep(random() * 1_000);
        await kill(world, what);
        await stop();
        if (what !== "server") continue;
        receiver.answer = () => ({ status: 204 });
        server = await startServer({ dataDir, port, env: LOCAL });
        world.server = server;
        if (forgets) await forgetLimits(server);
      }
      const left = await behind(world);
      const found = await compareWith(world);
      await stopServer(server);
      return { ...found, behind: left, kills: rounds };
    });
  } finally {
    await receiver.close();
  }
}

const toOutcome = (found: Run, failed: number): Outcome => ({
  tried: found.entries,
  failed,
  detail: Object.entries(found)
    .map(([name, figure]) => `${name} ${figure}`)
    .join(", "),
});

/** ST1: nothing that was sealed fails to arrive, in the chain's order, and what arrives again is the same batch. */
export const streamKillLine: Line = {
  id: "ST1",
  title: "kill -9 of server, PostgreSQL and receiver under a stream",
  run: async (input) => {
    const found = await run(input, false);
    const { lost, disordered, rebatched, behind, entries } = found;
    return toOutcome(found, entries === 0 ? 1 : lost + disordered + rebatched + behind);
  },
};

/** The control: a stream whose limits are gone after a kill must be caught sending entries in two batches. */
export const forgottenLimitsLine: Line = {
  id: "ST1-control",
  title: "the same with a stream that forgets the limits of its batches must repeat entries in other batches",
  run: async (input) => {
    const found = await run(input, true);
    return toOutcome(found, found.rebatched > 0 ? 0 : 1);
  },
};
