import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  freePort,
  isReady,
  killPostgres,
  killServer,
  makeCommitsLazy,
  type Server,
  startServer,
  stopServer,
} from "@/testing/server";
import { answersEarly, withFault } from "./broken";
import { compare } from "./compare";
import { nothingYet, prepare, startLoad, underLoad } from "./load";
import { countLate, type Line, type LineInput, type Outcome } from "./types";

const WRITERS = 8;
const RECOVERY_MS = 5_000;
const FULL_ROUNDS = 10;

export async function withFolder<T>(fn: (folder: string, port: number) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "trailmark-torture-"));
  try {
    return await fn(folder, await freePort());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const summary = (findings: object): string =>
  Object.entries(findings)
    .map(([k, v]) => `${k} ${v}`)
    .join(", ");

type Killed = Outcome & { missing: number };

/** Kills the server under load sent through `front`. */
async function killServerUnder({ rounds, random }: LineInput, front: typeof direct): Promise<Killed> {
  return withFolder(async (folder, port) => {
    let server: Server = await startServer({ dataDir: folder, port });
    const credentials = await prepare(server.base);
    const acked = nothingYet();
    await front(server, async ({ base }) => {
      for (let round = 0; round < rounds; round++) {
        const stop = startLoad(base, { credentials, acked }, WRITERS);
        await underLoad(acked, 400 + random() * 900);
        await killServer(server);
        await stop();
        server = await startServer({ dataDir: folder, port });
      }
    });
    const findings = await compare(server, credentials, acked);
    await stopServer(server);
    const failed = findings.missing + findings.duplicates + findings.unsealed + findings.breaks;
    return {
      tried: findings.acknowledged,
      failed: findings.acknowledged === 0 ? 1 : failed,
      missing: findings.missing,
      detail: `${rounds} kills, ${summary(findings)}`,
    };
  });
}
const direct = (server: Server, fn: (server: Server) => Promise<void>): Promise<void> => fn(server);

/** K2: kill -9 of the server under load, then a restart; nothing acknowledged may be missing or duplicated. */
const killTheServer: Line = {
  id: "K2",
  title: "kill -9 of the server under load",
  run: (input) => killServerUnder(input, direct),
};

/** The control: a server that answers before storing anything must be caught losing events. */
export const earlyAnswerLine: Line = {
  id: "K2-control",
  title: "control: a server that answers before storing must lose events",
  run: async (input) => {
    const { tried, missing, detail } = await killServerUnder(input, (server, fn) =>
      withFault(server, answersEarly, fn),
    );
    return { tried, failed: missing > 0 ? 0 : 1, detail };
  },
};

type PostgresRun = { rounds: number; random: () => number; lazyCommits?: boolean };

async function killDatabase({ rounds, random, lazyCommits }: PostgresRun): Promise<Killed> {
  return withFolder(async (folder, port) => {
    let server = await startServer({ dataDir: folder, port });
    const credentials = await prepare(server.base);
    if (lazyCommits) {
      await makeCommitsLazy(folder);
      await stopServer(server);
      server = await startServer({ dataDir: folder, port });
    }
    const acked = nothingYet();
    const back: number[] = [];
    const stop = startLoad(server.base, { credentials, acked }, WRITERS);
    for (let round = 0; round < rounds; round++) {
      await underLoad(acked, 400 + random() * 900);
      await killPostgres(folder);
      const killed = Date.now();
      await sleep(50);
      while (!(await isReady(server.base)) && Date.now() - killed < 30_000) await sleep(25);
      back.push(Date.now() - killed);
    }
    await sleep(300);
    await stop();
    const findings = await compare(server, credentials, acked);
    await stopServer(server);
    const wrongAnswers = [...acked.answers]
      .filter(([status]) => status >= 500 && status !== 503)
      .reduce((n, [, count]) => n + count, 0);
    const late = countLate(
      back.map((ms) => (ms > RECOVERY_MS ? [`back after ${ms} ms`] : [])),
      rounds >= FULL_ROUNDS,
    );
    const failed = findings.missing + findings.duplicates + findings.unsealed + findings.breaks + late + wrongAnswers;
    const answers = [...acked.answers].map(([status, count]) => `${status}x${count}`).join(" ");
    return {
      tried: findings.acknowledged,
      failed: findings.acknowledged === 0 ? 1 : failed,
      missing: findings.missing,
      detail: `${rounds} kills, ${summary(findings)}, back after ${Math.max(...back)} ms at the latest, answers ${answers}`,
    };
  });
}

/** K1: kill -9 of PostgreSQL under load; the server recovers by itself within 5 s and answers 503 until then. */
const killTheDatabase: Line = { id: "K1", title: "kill -9 of PostgreSQL under load", run: killDatabase };

/** The control: a database that answers before its WAL is on disk must be caught losing rows. */
export const lazyKillLine: Line = {
  id: "K1-control",
  title: "control: synchronous_commit off must lose events",
  run: async (input) => {
    const attempt = () => killDatabase({ ...input, lazyCommits: true });
    let found = await attempt();
    // Only the last 0.2 s can be lost, so a few kills may lose nothing.
    for (let again = 0; found.missing === 0 && again < 2; again++) found = await attempt();
    return { tried: found.tried, failed: found.missing > 0 ? 0 : 1, detail: found.detail };
  },
};

export const killLines: Line[] = [killTheDatabase, killTheServer];
