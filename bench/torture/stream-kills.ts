import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { holdsInTime } from "@/bench/until";
import { itemAt } from "@/server/ground/records";
import { killPostgres, killServer } from "@/testing/server";
import { type StreamReceiver, startStreamReceiver } from "@/testing/stream-receiver";
import { asOwner, endArchiveDay } from "@/testing/streams/archive-day";
import { STORE, startStrictS3 } from "@/testing/streams/strict-s3";
import { answered, type Credentials, json, prepare, signIn } from "./api";
import { untilWritten } from "./compare";
import { type Site, withOwner, withOwnServer } from "./folder";
import { backAfter } from "./kills";
import { type Input, type Line, listed } from "./line";
import { Load } from "./load";
import { runProduct } from "./product";

const WRITERS = 4;
/** Makes kills likely between the receiver's storing and its answer. */
const ANSWER_DELAY_MS = 40;
const CUT_MS = 5_000;
const CAUGHT_UP_MS = 90_000;
const LOCAL = { TRAILMARK_WEBHOOKS_PRIVATE: "true", TRAILMARK_WEBHOOKS_HTTP: "true" };

type Stream = { id: string; state: string; lag: { entries: number } };
type Store = Awaited<ReturnType<typeof startStrictS3>>;
type Ends = { server: Site; receiver: StreamReceiver; store: Store; credentials: Credentials };
/** Ids of an HTTPS stream and an archive of the same organization. */
type World = Ends & { id: string; archiveId: string };

async function startStream({ server, credentials }: Ends, settings: object): Promise<string> {
  const { accessToken: token, orgId } = credentials;
  const body = { name: "Torture", orgId, start: "beginning", ...settings };
  const { id } = await json<Stream>(server, "/streams", { token, body });
  const { ok } = await json<{ ok: boolean }>(server, `/streams/${id}/check`, { method: "POST", token });
  if (!ok) throw new Error("the check of the stream failed");
  return id;
}

async function createWorld(ends: Ends): Promise<World> {
  const { receiver, store } = ends;
  const { secret, ...place } = STORE;
  const id = await startStream(ends, { kind: "https", config: { url: receiver.url } });
  const config = { ...place, endpoint: store.url, archive: true, lock: { mode: "compliance", days: 400 } };
  const archiveId = await startStream(ends, { kind: "s3", config, secret });
  letAnswers(ends, true);
  return { ...ends, id, archiveId };
}

/** Whether receivers' answers reach the sender; data is stored either way. */
function letAnswers({ receiver, store }: Ends, reach: boolean): void {
  receiver.answer = () => (reach ? { status: 204, delayMs: ANSWER_DELAY_MS } : "cut");
  store.after = ({ method }) => (reach || method !== "PUT" ? null : "cut");
}

/** Withholds answers, and waits until the receiver has stored an unacknowledged batch. */
async function cutOne(ends: Ends): Promise<void> {
  const { received } = ends.receiver;
  const before = received.length;
  letAnswers(ends, false);
  await holdsInTime(() => received.length > before, { ms: CUT_MS, pauseMs: 20 });
}

/** Waits until nothing is left. @returns what was left at last */
async function untilNone(left: () => Promise<number>): Promise<number> {
  let n = 0;
  const isNone = async () => {
    n = await left();
    return n === 0;
  };
  await holdsInTime(isNone, { ms: CAUGHT_UP_MS, pauseMs: 250 });
  return n;
}

/** Waits until both have acknowledged everything, including archive receipts. @returns the remainder */
async function behind(world: World): Promise<number> {
  const { server, id, credentials } = world;
  await untilWritten(server);
  const token = await signIn(server);
  const unsent = () => untilNone(async () => (await json<Stream>(server, `/streams/${id}`, { token })).lag.entries);
  await unsent();
  // Through an entry that is fixed, because each receipt is an entry too. Repeatedly, because entries after a batch with
  // stored limits wait for the end of their own day.
  const through = await makeArchiveDue(world);
  const unarchived = await untilNone(async () => {
    await makeArchiveDue(world);
    const path = `/archive/objects?orgId=${credentials.orgId}`;
    const { data } = await json<{ data: { last: number }[] }>(server, path, { token });
    return Math.max(0, through - (data[0]?.last ?? 0));
  });
  return unarchived + (await unsent());
}

/** Deletes limits of batches in flight, like a product that keeps them in memory. */
const forgetLimits = (server: Site): Promise<void> =>
  withOwner(server, (sql) =>
    asOwner(sql, "stream_batches", () => sql`DELETE FROM stream_batches WHERE acknowledged_at IS NULL`),
  );

const makeArchiveDue = ({ server, archiveId, credentials: { orgId } }: World): Promise<number> =>
  withOwner(server, (sql) => endArchiveDay(sql, { streamId: archiveId, orgId }));

/** Command line verdicts on the receivers' files, except intact. */
async function verdictsOn({ server, receiver, store, credentials }: World): Promise<string[]> {
  const { orgId } = credentials;
  const bundle = await answered(server, `/audit-logs/evidence?orgId=${orgId}`, { token: await signIn(server) });
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

/** The receiver's entries against the log. rebatched: entries that came in more than one batch, or one batch in two forms. */
async function compareWith({ server, receiver, credentials: { orgId } }: World) {
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
async function kill(world: World, what: (typeof KILLS)[number]): Promise<unknown> {
  const { server } = world;
  if (what === "server") return killServer(server);
  if (what === "receiver") {
    letAnswers(world, false);
    await sleep(1_500);
    return letAnswers(world, true);
  }
  await killPostgres(server.dataDir);
  return backAfter(server);
}

const KILLS = ["server", "postgres", "receiver"] as const;

async function killUnderStreams(world: World, { rounds, random, isBroken }: Input) {
  const { server } = world;
  const load = new Load(server, world.credentials, WRITERS);
  for (let round = 0; round < rounds; round++) {
    const what = isBroken ? "server" : itemAt(KILLS, round % KILLS.length);
    await load.during(async () => {
      await load.acknowledged(1_500 + random() * 2_000);
      await makeArchiveDue(world);
      // During a batch whose answer never reaches the sender.
      if (what === "server") await cutOne(world);
      await sleep(random() * 1_000);
      await kill(world, what);
    });
    if (what !== "server") continue;
    letAnswers(world, true);
    await server.start();
    if (isBroken) await forgetLimits(server);
  }
}

/**
 * ST1: nothing that was sealed fails to arrive, in the chain's order, what arrives again is the same batch, and what the
 * receiver and the archive's store kept is intact by the command line. Its control loses the limits of batches.
 */
export const streamKills: Line = {
  id: "ST1",
  title: "kill -9 of server, PostgreSQL and receivers during streaming and archiving",
  ...{ quick: 3, full: 30 },
  control: { title: "a stream that forgets its batch limits must repeat entries", quick: 3, full: 10, slow: true },
  async run(input, found) {
    const [receiver, store] = [await startStreamReceiver(), await startStrictS3()];
    const fight = async (server: Site) => {
      const world = await createWorld({ server, receiver, store, credentials: await prepare(server) });
      await killUnderStreams(world, input);
      const left = await behind(world);
      const { entries, repeated, ...compared } = await compareWith(world);
      const faults = { ...compared, behind: left };
      const verdicts = await verdictsOn(world);
      const objects = [...store.objects.keys()].filter((key) => key.endsWith(".gz")).length;
      found.tried = entries;
      found.caught = compared.rebatched;
      found.note(listed({ entries, repeated, ...faults, kills: input.rounds, objects }));
      if (verdicts.length === 0) found.note("file and archive intact");
      for (const [kind, count] of Object.entries(faults)) found.fault(kind, count);
      found.faults(verdicts);
    };
    await withOwnServer(fight, { env: LOCAL }).finally(() => Promise.all([receiver.close(), store.close()]));
  },
};
