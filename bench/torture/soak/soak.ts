import { setTimeout as sleep } from "node:timers/promises";
import { ask, createKey, prepare } from "@/bench/torture/api";
import { compare, judge } from "@/bench/torture/compare";
import { type Site, tamper, withServer } from "@/bench/torture/folder";
import type { Input, Line } from "@/bench/torture/line";
import { Load, tallied, wrongAnswers } from "@/bench/torture/load";
import { faultsOfNight } from "@/bench/torture/product";
import { repeatedly } from "@/bench/until";
import { itemAt } from "@/server/ground/records";
import { killPostgres, killServer } from "@/testing/server";
import { growth, type Held, heldBy } from "./flat";

const KILL_EVERY_MS = 120_000;
const WRITERS = 3;
const READ_EVERY_MS = 500;

/** Requests of people beside the writers, one after the other. */
const READS = (orgId: string): string[] => [
  `/audit-logs/logs?orgId=${orgId}&limit=50`,
  `/audit-logs/search?orgId=${orgId}&q=torture`,
  `/audit-logs/integrity?orgId=${orgId}`,
  `/audit-logs/reports/user-activity?orgId=${orgId}`,
  `/audit-logs/logs?orgId=${orgId}&result=failure`,
  "/devices",
];

/** Reads until stopped. @returns counts by status; 0 without an answer */
function startReaders(server: Site, token: string, orgId: string): () => Promise<Map<number, number>> {
  const answers = new Map<number, number>();
  const paths = READS(orgId);
  const stop = repeatedly(async (n) => {
    const signal = AbortSignal.timeout(60_000);
    const status = await ask(server, itemAt(paths, n), { token, signal }).then(
      (answer) => answer.arrayBuffer().then(() => answer.status),
      () => 0,
    );
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }, READ_EVERY_MS);
  return () => stop().then(() => answers);
}

/** Load with a kill every two minutes, of database and server in turn. @returns each server's last state */
async function runWithKills(server: Site, load: Load, { minutes, progress }: Input) {
  const lives: Held[] = [];
  const until = Date.now() + minutes * 60_000;
  let kills = 0;
  load.start();
  while (Date.now() + KILL_EVERY_MS <= until) {
    progress(`kill ${kills + 1}`);
    await sleep(KILL_EVERY_MS);
    kills++;
    if (kills % 2 === 1) {
      await killPostgres(server.dataDir);
      continue;
    }
    lives.push(heldBy(server));
    await killServer(server);
    await load.stop();
    await server.start();
    load.start();
  }
  await sleep(Math.max(0, until - Date.now()));
  await load.stop();
  return { kills, lives };
}

/** The comparison after the database's owner deleted an event in the middle. */
async function compareWithoutOne(server: Site, { credentials, acked }: Load) {
  const { orgId } = credentials;
  await tamper(
    server,
    (tx) => tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq = (
      SELECT chain_seq FROM audit_logs WHERE org_id = ${orgId} AND action = 'device.update'
      ORDER BY chain_seq OFFSET 1 LIMIT 1)`,
  );
  return compare(server, credentials, acked);
}

/** Z: mixed load for an hour, and kill -9 of the server or PostgreSQL every two minutes. */
export const soak: Line = {
  id: "Z",
  title: "mixed load with a kill every two minutes",
  ...{ quick: 1, full: 1, slow: true },
  run: (input, found) =>
    withServer(async (server) => {
      const load = new Load(server, await prepare(server), WRITERS);
      const { orgId } = load.credentials;
      const key = await createKey(server, load.credentials, ["audit:read", "devices:read"]);
      const stopReading = startReaders(server, key, orgId);
      const { kills, lives } = await runWithKills(server, load, input);
      const read = await stopReading();
      const summary = lives.map(({ mb, handles }) => `${mb} MB ${handles} handles`).join(", ");
      found.note(`${input.minutes} minutes, ${kills} kills`, `each server before its kill: ${summary}`);
      found.tried = await judge(found, server, load);
      found.note(`read: ${tallied(read)}`);
      for (const [status, count] of wrongAnswers(read)) found.fault(`a reader was answered ${status}`, count);
      found.faults([...(await faultsOfNight(server, orgId)), ...growth(lives[0], lives.at(-1))]);
      if (kills === 0) found.fault("nothing was killed");
      const before = await compare(server, load.credentials, load.acked);
      const after = await compareWithoutOne(server, load);
      const isSeen = after.missing > before.missing && after.breaks.length > before.breaks.length;
      found.control("a stored event deleted", isSeen ? 1 : 0);
    }),
};
