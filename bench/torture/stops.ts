import { setTimeout as sleep } from "node:timers/promises";
import { connectAgent, type FakeAgent } from "@/testing/live-agent";
import { clusterOf, type Server, signalPostmaster } from "@/testing/server";
import { type Credentials, createEnrollmentKey, createEvents, enroll, postEvents, prepare } from "./api";
import { answersEarly, direct, waitsForDatabase, withFault } from "./broken";
import { compare, wrongIn } from "./compare";
import { withServer } from "./folder";
import { backAfter } from "./kills";
import { type Acknowledged, nothingYet, startLoad } from "./load";
import { controlled, countLate, type Found, type LineInput, listed, QUICK_TRIES } from "./types";

const EXIT_MS = 10_000;
const WRITERS = 6;
const AGENTS = 20;
const BURST = 400;

/** Agents with one open command stream each. */
async function openStreams(server: Server, credentials: Credentials): Promise<FakeAgent[]> {
  const key = await createEnrollmentKey(server, credentials);
  return Promise.all(
    Array.from({ length: AGENTS }, async (_, i) => {
      const agent = await enroll(server, key, `STREAM-${i}`);
      return connectAgent(`${server.base}/api/v1`, agent, () => undefined);
    }),
  );
}

/**
 * One large batch whose rows still wait for the database when the answer is there.
 * @returns the answer's status, 0 where there was none
 */
async function burst(server: Server, credentials: Credentials, acked: Acknowledged): Promise<number> {
  const events = createEvents(BURST);
  const answer = await postEvents(server, credentials, events).catch(() => null);
  if (answer?.ok) for (const { id } of events) acked.events.add(id);
  return answer?.status ?? 0;
}

/** SIGTERM. @returns time to exit, and exit code */
async function terminate({ child }: Server): Promise<{ ms: number; code: number | null }> {
  const started = Date.now();
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const code = await Promise.race([ended, sleep(EXIT_MS * 2).then(() => -1)]);
  if (code === -1) child.kill("SIGKILL");
  return { ms: Date.now() - started, code };
}

/** K5: SIGTERM with open agent streams and unflushed events: exits within 10 s, nothing lost. */
const stopUnder = ({ rounds, random }: LineInput, isBroken: boolean): Promise<Found> =>
  withServer(async (server) => {
    const acked = nothingYet();
    const credentials = await prepare(server);
    let slowest = 0;
    const faults: string[] = [];
    const front = isBroken ? withFault(answersEarly) : direct;
    await front(server, async (reached) => {
      for (let round = 0; round < rounds; round++) {
        const { accessToken } = await prepare(server);
        const streams = await openStreams(server, { ...credentials, accessToken });
        const stop = startLoad(reached, { credentials, acked }, WRITERS);
        await sleep(300 + random() * 500);
        void burst(reached, credentials, acked);
        await sleep(random() * 60);
        const { ms, code } = await terminate(server);
        await stop();
        slowest = Math.max(slowest, ms);
        if (ms > EXIT_MS || code !== 0) faults.push(`round ${round}: ended with ${code} after ${ms} ms`);
        const open = await Promise.race([
          Promise.all(streams.map((s) => s.ended)).then(() => false),
          sleep(EXIT_MS).then(() => true),
        ]);
        if (open) faults.push(`round ${round}: an agent's stream did not end`);
        await server.start();
      }
    });
    const found = await compare(server, credentials, acked);
    return {
      tried: found.acknowledged,
      failed: wrongIn(found) + faults.length,
      caught: found.missing,
      detail: [`${rounds} stops with ${AGENTS} streams, at most ${slowest} ms, ${listed(found)}`, ...faults].join("; "),
    };
  });

export const stopLines = controlled({
  id: "K5",
  title: "SIGTERM with open agent streams and unflushed events",
  control: "a server that drops its queue must lose events",
  run: stopUnder,
});

/** Signals all processes of the embedded PostgreSQL: stopped ones neither answer nor close. */
const signalPostgres = (dataDir: string, signal: NodeJS.Signals) => signalPostmaster(clusterOf(dataDir).folder, signal);

const FREEZE_MS = 10_000;
const QUICK_FREEZE_MS = 2_000;
/** The limit of a request that only records while the database is frozen: the patience for a commit, and the disk. */
const RECORD_MS = 2_000;
const RECOVERY_MS = 5_000;

/** refused: told to retry, because neither database nor disk answered in time; wrong: any other answer. */
type Freeze = { batches: number[]; refused: number; wrong: number; backMs: number };

/** Durations of batches (ms) while PostgreSQL stood still, and how long the server took to be ready again. */
async function freeze(server: Server, forMs: number, send: () => Promise<number>): Promise<Freeze> {
  const batches: number[] = [];
  let [refused, wrong] = [0, 0];
  await signalPostgres(server.dataDir, "SIGSTOP");
  const until = Date.now() + forMs;
  try {
    while (Date.now() < until) {
      const started = performance.now();
      const status = await send();
      if (status === 503) refused++;
      else if (status < 200 || status > 299) wrong++;
      batches.push(performance.now() - started);
      await sleep(100);
    }
  } finally {
    await signalPostgres(server.dataDir, "SIGCONT");
  }
  return { batches, refused, wrong, backMs: await backAfter(server) };
}

const tooSlow = ({ batches, refused, backMs }: Freeze): string[] => [
  ...(refused > 0 ? [`${refused} batches refused`] : []),
  ...batches.filter((ms) => ms > RECORD_MS).map((ms) => `a batch took ${Math.round(ms)} ms`),
  ...(backMs > RECOVERY_MS ? [`ready only after ${backMs} ms`] : []),
];

/** K4: PostgreSQL frozen; recording is answered from the spool, and all is in the database afterwards. */
const freezeUnder = ({ rounds }: LineInput, isBroken: boolean): Promise<Found> =>
  withServer(async (server) => {
    const credentials = await prepare(server);
    const acked = nothingYet();
    const front = isBroken ? withFault(waitsForDatabase) : direct;
    const send = () => front(server, (reached) => burst(reached, credentials, acked));
    const isFull = rounds > 1;
    const found: Freeze[] = [];
    const late = () => countLate(found.map(tooSlow), isFull);
    while (found.length < rounds || (!isFull && late() > 0 && found.length < QUICK_TRIES)) {
      await burst(server, credentials, acked);
      found.push(await freeze(server, isFull ? FREEZE_MS : QUICK_FREEZE_MS, send));
    }
    const kept = await compare(server, credentials, acked);
    const batches = found.flatMap((one) => one.batches);
    const wrong = found.reduce((n, one) => n + one.wrong, 0);
    const back = Math.max(...found.map((one) => one.backMs));
    const figures = `${batches.length} batches while frozen, at most ${Math.round(Math.max(...batches))} ms, ready ${back} ms after the thaw`;
    return {
      tried: batches.length === 0 ? 0 : kept.acknowledged,
      failed: wrongIn(kept) + wrong + late(),
      caught: batches.filter((ms) => ms > RECORD_MS).length,
      detail: [
        `${figures}, missing ${kept.missing}, duplicates ${kept.duplicates}`,
        ...(wrong ? [`${wrong} batches answered wrongly`] : []),
        ...new Set(found.flatMap(tooSlow)),
      ].join("; "),
    };
  });

export const frozenLines = controlled({
  id: "K4",
  title: "frozen PostgreSQL: recording continues and recovers",
  control: "a recorder that waits for the database must be detected",
  controlRounds: 1,
  run: freezeUnder,
});
