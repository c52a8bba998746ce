import { setTimeout as sleep } from "node:timers/promises";
import { holdsInTime } from "@/bench/until";
import { isReady, killPostgres, killServer, type Server, stopServer } from "@/testing/server";
import { prepare } from "./api";
import { answersEarly, behind } from "./broken";
import { judge } from "./compare";
import { makeCommitsLazy, withOwnServer } from "./folder";
import type { Found, Input, Line } from "./line";
import { Load } from "./load";

const WRITERS = 8;
const RECOVERY_MS = 5_000;

/** Waits until a server answers again whose database was killed. @returns after how many ms it did */
export async function backAfter({ base }: Server): Promise<number> {
  const killed = Date.now();
  await sleep(50);
  await holdsInTime(() => isReady(base), { ms: 30_000, pauseMs: 25 });
  return Date.now() - killed;
}

/** K2: kill -9 of the server under load, then a restart; nothing acknowledged may be missing or duplicated. */
export const serverKills: Line = {
  id: "K2",
  title: "kill -9 of the server under load",
  ...{ quick: 2, full: 50 },
  control: { title: "a server that answers before storing must lose events", quick: 1, full: 3, slow: true },
  run: ({ rounds, random, isBroken }, found) =>
    withOwnServer((server) =>
      behind(server, isBroken ? answersEarly : null, async (reached) => {
        const load = new Load(reached, await prepare(server), WRITERS);
        for (let round = 0; round < rounds; round++) {
          await load.during(async () => {
            await load.acknowledged(400 + random() * 900);
            await killServer(server);
          });
          await server.start();
        }
        found.note(`${rounds} kills`);
        found.tried += await judge(found, server, load);
      }),
    ),
};

/** K1: kill -9 of PostgreSQL under load; the server recovers by itself within 5 s and answers 503 until then. */
const killTheDatabase = ({ rounds, random, isFull, isBroken }: Input, found: Found): Promise<void> =>
  withOwnServer(async (server) => {
    const load = new Load(server, await prepare(server), WRITERS);
    if (isBroken) {
      await makeCommitsLazy(server);
      await stopServer(server);
      await server.start();
    }
    const back: number[] = [];
    await load.during(async () => {
      for (let round = 0; round < rounds; round++) {
        await load.acknowledged(400 + random() * 900);
        await killPostgres(server.dataDir);
        back.push(await backAfter(server));
      }
      await sleep(300);
    });
    const late = back.filter((ms) => ms > RECOVERY_MS);
    found.note(`${rounds} kills, back after ${Math.max(...back)} ms at the latest`);
    // A quick run shares the machine, which can delay any return, but a slow product is late each time.
    if (isFull || late.length === rounds) found.fault(`back after more than ${RECOVERY_MS} ms`, late.length);
    found.tried += await judge(found, server, load);
  });

/** Losses of lazy commits come within the last 0.2 s: a few kills may all find that there were none. */
const CONTROL_TRIES = 3;

export const databaseKills: Line = {
  id: "K1",
  title: "kill -9 of PostgreSQL under load",
  ...{ quick: 2, full: 50 },
  control: { title: "synchronous_commit off must lose events", quick: 3, full: 50 },
  async run(input, found) {
    await killTheDatabase(input, found);
    for (let n = 1; input.isBroken && found.caught === 0 && n < CONTROL_TRIES; n++) await killTheDatabase(input, found);
  },
};
