import { setTimeout as sleep } from "node:timers/promises";
import { holdsInTime } from "@/bench/until";
import { isReady, killPostgres, killServer, makeCommitsLazy, type Server, stopServer } from "@/testing/server";
import { prepare } from "./api";
import { answersEarly, direct, withFault } from "./broken";
import { compare, wrongIn } from "./compare";
import { withOwnServer } from "./folder";
import { nothingYet, startLoad, tallied, underLoad, wrongAnswers } from "./load";
import { controlled, countLate, type Found, type LineInput, listed } from "./types";

const WRITERS = 8;
const RECOVERY_MS = 5_000;
const FULL_ROUNDS = 10;

/** Waits until a server answers again whose database was killed. @returns after how many ms it did */
export async function backAfter({ base }: Server): Promise<number> {
  const killed = Date.now();
  await sleep(50);
  await holdsInTime(() => isReady(base), { ms: 30_000, pauseMs: 25 });
  return Date.now() - killed;
}

/** K2: kill -9 of the server under load, then a restart; nothing acknowledged may be missing or duplicated. */
const killTheServer = ({ rounds, random }: LineInput, isBroken: boolean): Promise<Found> =>
  withOwnServer(async (server) => {
    const credentials = await prepare(server);
    const acked = nothingYet();
    const front = isBroken ? withFault(answersEarly) : direct;
    await front(server, async (reached) => {
      for (let round = 0; round < rounds; round++) {
        const stop = startLoad(reached, { credentials, acked }, WRITERS);
        await underLoad(acked, 400 + random() * 900);
        await killServer(server);
        await stop();
        await server.start();
      }
    });
    const findings = await compare(server, credentials, acked);
    return {
      tried: findings.acknowledged,
      failed: wrongIn(findings),
      caught: findings.missing,
      detail: `${rounds} kills, ${listed(findings)}`,
    };
  });

/** K1: kill -9 of PostgreSQL under load; the server recovers by itself within 5 s and answers 503 until then. */
const killTheDatabase = ({ rounds, random }: LineInput, isBroken: boolean): Promise<Found> =>
  withOwnServer(async (server) => {
    const credentials = await prepare(server);
    if (isBroken) {
      await makeCommitsLazy(server.dataDir);
      await stopServer(server);
      await server.start();
    }
    const acked = nothingYet();
    const back: number[] = [];
    const stop = startLoad(server, { credentials, acked }, WRITERS);
    for (let round = 0; round < rounds; round++) {
      await underLoad(acked, 400 + random() * 900);
      await killPostgres(server.dataDir);
      back.push(await backAfter(server));
    }
    await sleep(300);
    await stop();
    const findings = await compare(server, credentials, acked);
    const late = countLate(
      back.map((ms) => (ms > RECOVERY_MS ? [`back after ${ms} ms`] : [])),
      rounds >= FULL_ROUNDS,
    );
    const wrong = wrongAnswers(acked.answers).reduce((n, [, count]) => n + count, 0);
    return {
      tried: findings.acknowledged,
      failed: wrongIn(findings) + late + wrong,
      caught: findings.missing,
      detail: `${rounds} kills, ${listed(findings)}, back after ${Math.max(...back)} ms at the latest, answers ${tallied(acked.answers)}`,
    };
  });

/** Losses of lazy commits come within the last 0.2 s: a few kills may all find that there were none. */
async function killTheDatabaseAgain(input: LineInput, isBroken: boolean): Promise<Found> {
  let found = await killTheDatabase(input, isBroken);
  for (let n = 0; isBroken && found.caught === 0 && n < 2; n++) found = await killTheDatabase(input, isBroken);
  return found;
}

export const databaseKillLines = controlled({
  id: "K1",
  title: "kill -9 of PostgreSQL under load",
  control: "synchronous_commit off must lose events",
  run: killTheDatabaseAgain,
});

export const serverKillLines = controlled({
  id: "K2",
  title: "kill -9 of the server under load",
  control: "a server that answers before storing must lose events",
  run: killTheServer,
});
