import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { isReady, killPostgres, killServer, type Server, startServer, stopServer } from "@/testing/server";
import { type StreamReceiver, startStreamReceiver } from "@/testing/stream-receiver";
import { asOwner, endArchiveDay } from "@/testing/streams/archive-day";
import { STORE, startStrictS3 } from "@/testing/streams/strict-s3";
import { untilWritten } from "./compare";
import { ownerOf } from "./folder";
import { withFolder } from "./kills";
import { answerOf, type Credentials, json, nothingYet, prepare, signIn, startLoad, underLoad } from "./load";
import { runProduct } from "./product";
import type { Line, LineInput, Outcome } from "./types";

const WRITERS = 4;
/** Makes kills likely between the receiver's storing and its answer. */
const ANSWER_DELAY_MS = 40;
const CUT_MS = 5_000;
const CAUGHT_UP_MS = 90_000;
const LOCAL = { TRAILMARK_WEBHOOKS_PRIVATE: "true", TRAILMARK_WEBHOOKS_HTTP: "true" };

type Stream = { id: string; state: string; lag: { entries: number } };
type Store = Awaited<ReturnType<typeof startStrictS3>>;
type Site = { server: Server; receiver: StreamReceiver; store: Store; credentials: Credentials };
/** Ids of an HTTPS stream and an archive of the same organization. */
type World = Site & { id: string; archiveId: string };

async function startStream({ server, credentials }: Site, settings: object): Promise<string> {
  const { accessToken: token, orgId } = credentials;
  const body = { name: "Torture", orgId, start: "beginning", ...settings };
  const { id } = await json<Stream>(server.base, { method: "POST", path: "/streams", token, body });
  const { ok } = await json<{ ok: boolean }>(server.base, { method: "POST", path: `/streams/${id}/check`, token });
  if (!ok) throw new Error("the check of the stream failed");
  return id;
}

async function createWorld(site: Site): Promise<World> {
  const { receiver, store } = site;
  const { secret, ...place } = STORE;
  const id = await startStream(site, { kind: "https", config: { url: receiver.url } });
  const config = { ...place, endpoint: store.url, archive: true, lock: { mode: "compliance", days: 400 } };
  const archiveId = await startStream(site, { kind: "s3", config, secret });
  receiver.delayMs = ANSWER_DELAY_MS;
  return { ...site, id, archiveId };
}

/** Whether receivers' answers reach the sender; data is stored either way. */
function letAnswers({ receiver, store }: Site, reach: boolean): void {
  receiver.answer = () => (reach ? { status: 204 } : "cut");
  store.after = ({ method }) => (reach || method !== "PUT" ? null : "cut");
}

/** Withholds answers, and waits until the receiver has stored an unacknowledged batch. */
async function cutOne(site: Site): Promise<void> {
  const { received } = site.receiver;
  const before = received.length;
  letAnswers(site, false);
  for (const end = Date.now() + CUT_MS; received.length === before && Date.now() < end; ) await sleep(20);
}

/** Waits until none are left. @returns the last value */
async function untilNone(left: () => Promise<number>): Promise<number> {
  for (const deadline = Date.now() + CAUGHT_UP_MS; ; await sleep(250)) {
    const n = await left();
    if (n === 0 || Date.now() > deadline) return n;
  }
}

/** Waits until both have acknowledged everything, including archive receipts. @returns the remainder */
async function behind(world: World): Promise<number> {
  const { server, id, credentials } = world;
  await untilWritten(server.base);
  const token = await signIn(server.base);
  const get = <T>(path: string) => json<T>(server.base, { method: "GET", path, token });
  const unsent = () => untilNone(async () => (await get<Stream>(`/streams/${id}`)).lag.entries);
  await unsent();
  // Repeatedly: entries after a batch with stored limits wait for the end of their own day.
  const unarchived = await untilNone(async () => {
    const through = await makeArchiveDue(world);
    const { data } = await get<{ data: { last: number }[] }>(`/archive/objects?orgId=${credentials.orgId}`);
    return Math.max(0, through - (data[0]?.last ?? 0));
  });
  return unarchived + (await unsent());
}

async function withOwner<T>(server: Server, fn: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = ownerOf(server);
  try {
    return await fn(sql);
  } finally {
    await sql.end();
  }
}

/** Deletes limits of batches in flight, like a product that keeps them in memory. */
const forgetLimits = (server: Server): Promise<void> =>
  withOwner(server, (sql) =>
    asOwner(sql, "stream_batches", () => sql`DELETE FROM stream_batches WHERE acknowledged_at IS NULL`),
  );

const makeArchiveDue = ({ server, archiveId, credentials: { orgId } }: World): Promise<number> =>
  withOwner(server, (sql) => endArchiveDay(sql, { streamId: archiveId, orgId }));

type Found = { lost: number; disordered: number; repeated: number; rebatched: number; entries: number };

/** Command line verdicts on the receivers' files, except intact. */
async function verdictsOn({ server, receiver, store, credentials }: World): Promise<string[]> {
  const { orgId } = credentials;
  const token = await signIn(server.base);
  const headers = { Authorization: `Bearer ${token}` };
  const bundle = await answerOf(() => fetch(`${server.base}/api/v1/audit-logs/evidence?orgId=${orgId}`, { headers }));
  const { publicKeys }: { publicKeys: string[] } = JSON.parse((await bundle.text()).split("\n", 1)[0] ?? "");
  const trust = publicKeys.flatMap((key) => ["--key", key]);
  const folder = mkdtempSync(join(server.dataDir, "kept-"));
  for (const [key, { body }] of store.objects) {
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), body);
  }
  const file = join(server.dataDir, "stream.ndjson.gz");
  writeFileSync(file, Buffer.concat(receiver.received.map(({ raw }) => raw)));
  const ran = [
    await runProduct(server, ["archive", "verify", folder, ...trust]),
    await runProduct(server, ["verify-stream", file, ...trust]),
  ];
  return ran.flatMap(({ code, out, err }) => (code === 0 ? [] : [`exit code ${code}: ${out}${err}`]));
}

/** Compares the receiver's copy with the log. rebatched: entries in several batches, or a batch in two forms. */
async function compareWith({ server, receiver, credentials: { orgId } }: World): Promise<Found> {
  const rows = await withOwner(
    server,
    (sql) => sql<{ id: string }[]>`SELECT id FROM audit_logs WHERE org_id = ${orgId} ORDER BY chain_seq`,
  );
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

/** Kills the server, PostgreSQL or the receivers, in turn. */
async function kill(world: World, what: "server" | "postgres" | "receiver"): Promise<void> {
  const { server } = world;
  if (what === "server") return killServer(server);
  if (what === "receiver") {
    letAnswers(world, false);
    await sleep(1_500);
    return letAnswers(world, true);
  }
  await killPostgres(server.dataDir);
  for (const end = Date.now() + 30_000; !(await isReady(server.base)) && Date.now() < end; ) await sleep(50);
}

const KILLS = ["server", "postgres", "receiver"] as const;

type Run = Found & { behind: number; kills: number; objects: number; verdicts: string[] };

async function run({ rounds, random }: LineInput, forgets: boolean): Promise<Run> {
  const [receiver, store] = [await startStreamReceiver(), await startStrictS3()];
  try {
    return await withFolder(async (dataDir, port) => {
      const server = await startServer({ dataDir, port, env: LOCAL });
      const world = await createWorld({ server, receiver, store, credentials: await prepare(server.base) });
      const { credentials } = world;
      const acked = nothingYet();
      for (let round = 0; round < rounds; round++) {
        const what = forgets ? "server" : (KILLS[round % KILLS.length] ?? "server");
        const stop = startLoad(server.base, { credentials, acked }, WRITERS);
        await underLoad(acked, 1_500 + random() * 2_000);
        await makeArchiveDue(world);
        // During a batch whose answer never reaches the sender.
        if (what === "server") await cutOne(world);
        await sleep(random() * 1_000);
        await kill(world, what);
        await stop();
        if (what !== "server") continue;
        letAnswers(world, true);
        world.server = await startServer({ dataDir, port, env: LOCAL });
        if (forgets) await forgetLimits(world.server);
      }
      const left = await behind(world);
      const found = await compareWith(world);
      const verdicts = await verdictsOn(world);
      await stopServer(world.server);
      const objects = [...store.objects.keys()].filter((key) => key.endsWith(".gz")).length;
      return { ...found, behind: left, kills: rounds, objects, verdicts };
    });
  } finally {
    await Promise.all([receiver.close(), store.close()]);
  }
}

const toOutcome = ({ verdicts, ...found }: Run, failed: number): Outcome => ({
  tried: found.entries,
  failed,
  detail: [
    ...Object.entries(found).map(([name, figure]) => `${name} ${figure}`),
    ...(verdicts.length === 0 ? ["file and archive intact"] : verdicts),
  ].join(", "),
});

/**
 * ST1: every sealed entry arrives in chain order, repeats are the same batch, and the copies of receiver and archive
 * are intact by the command line.
 */
export const streamKillLine: Line = {
  id: "ST1",
  title: "kill -9 of server, PostgreSQL and receivers during streaming and archiving",
  run: async (input) => {
    const found = await run(input, false);
    const { lost, disordered, rebatched, behind, verdicts, entries } = found;
    return toOutcome(found, entries === 0 ? 1 : lost + disordered + rebatched + behind + verdicts.length);
  },
};

/** The control: a stream that loses limits in a kill must be caught sending entries in two batches. */
export const forgottenLimitsLine: Line = {
  id: "ST1-control",
  title: "control: a stream that forgets its batch limits must repeat entries",
  run: async (input) => {
    const found = await run(input, true);
    return toOutcome(found, found.rebatched > 0 ? 0 : 1);
  },
};
