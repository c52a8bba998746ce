import { setTimeout as sleep } from "node:timers/promises";
import { connectAgent, type FakeAgent } from "@/testing/live-agent";
import { clusterOf, type Server, signalPostmaster } from "@/testing/server";
import { type Credentials, createEnrollmentKey, createEvents, enroll, postEvents, prepare } from "./api";
import { answersEarly, behind, waitsForDatabase } from "./broken";
import { judge } from "./compare";
import { withServer } from "./folder";
import { backAfter } from "./kills";
import { type Line, retryLate } from "./line";
import { Load } from "./load";

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
async function burst({ at, credentials, acked }: Load): Promise<number> {
  const events = createEvents(BURST);
  const answer = await postEvents(at, credentials, events).catch(() => null);
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

const isOpen = (streams: FakeAgent[]): Promise<boolean> =>
  Promise.race([Promise.all(streams.map(({ ended }) => ended)).then(() => false), sleep(EXIT_MS).then(() => true)]);

/** K5: SIGTERM with open agent streams and unflushed events: exits within 10 s, nothing lost. */
export const stops: Line = {
  id: "K5",
  title: "SIGTERM with open agent streams and unflushed events",
  ...{ quick: 1, full: 20 },
  control: { title: "a server that drops its queue must lose events", quick: 1, full: 3, slow: true },
  run: ({ rounds, random, isBroken }, found) =>
    withServer((server) =>
      behind(server, isBroken ? answersEarly : null, async (reached) => {
        const load = new Load(reached, await prepare(server), WRITERS);
        let slowest = 0;
        for (let round = 0; round < rounds; round++) {
          const { accessToken } = await prepare(server);
          const streams = await openStreams(server, { ...load.credentials, accessToken });
          await load.during(async () => {
            await sleep(300 + random() * 500);
            void burst(load);
            await sleep(random() * 60);
            const { ms, code } = await terminate(server);
            slowest = Math.max(slowest, ms);
            if (ms > EXIT_MS || code !== 0) found.fault(`round ${round}: ended with ${code} after ${ms} ms`);
          });
          if (await isOpen(streams)) found.fault(`round ${round}: an agent's stream did not end`);
          await server.start();
        }
        found.note(`${rounds} stops with ${AGENTS} streams, at most ${slowest} ms`);
        found.tried += await judge(found, server, load);
      }),
    ),
};

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
export const freezes: Line = {
  id: "K4",
  title: "frozen PostgreSQL: recording continues and recovers",
  ...{ quick: 1, full: 5 },
  control: { title: "a recorder that waits for the database must be detected", quick: 1, full: 1, slow: true },
  run: (input, found) =>
    withServer((server) =>
      behind(server, input.isBroken ? waitsForDatabase : null, async (reached) => {
        const load = new Load(reached, await prepare(server), WRITERS);
        const one = async () => {
          await burst(load);
          return freeze(server, input.isFull ? FREEZE_MS : QUICK_FREEZE_MS, () => burst(load));
        };
        const all: Freeze[] = [];
        for (let round = 0; round < input.rounds; round++)
          all.push(await retryLate(input, one, (frozen) => tooSlow(frozen).length > 0));
        const batches = all.flatMap((frozen) => frozen.batches);
        const back = Math.max(...all.map(({ backMs }) => backMs));
        const figures = `at most ${Math.round(Math.max(...batches))} ms, ready ${back} ms after the thaw`;
        found.note(`${batches.length} batches while frozen, ${figures}`);
        if (batches.length === 0) found.fault("no batch was sent while frozen");
        found.faults(all.flatMap(tooSlow));
        for (const { wrong } of all) found.fault("batches answered wrongly", wrong);
        found.tried += await judge(found, server, load);
        found.caught = batches.filter((ms) => ms > RECORD_MS).length;
      }),
    ),
};
