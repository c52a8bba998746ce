import { setTimeout as sleep } from "node:timers/promises";
import { ask, type Credentials, createKey, prepare } from "@/bench/torture/api";
import { compare, type Findings, wrongIn } from "@/bench/torture/compare";
import { type Site, tamper, withServer } from "@/bench/torture/folder";
import { type Acknowledged, nothingYet, startLoad, tallied, wrongAnswers } from "@/bench/torture/load";
import { faultsOfNight } from "@/bench/torture/product";
import { type Line, type LineInput, listed, type Outcome } from "@/bench/torture/types";
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

type Soak = { server: Site; credentials: Credentials; acked: Acknowledged };

/** Load with a kill every two minutes, of database and server in turn. @returns each server's last state */
async function runWithKills(soak: Soak, { minutes, progress }: LineInput): Promise<{ kills: number; lives: Held[] }> {
  const { server } = soak;
  const lives: Held[] = [];
  const until = Date.now() + minutes * 60_000;
  let kills = 0;
  let stop = startLoad(server, soak, WRITERS);
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
    await stop();
    await server.start();
    stop = startLoad(server, soak, WRITERS);
  }
  await sleep(Math.max(0, until - Date.now()));
  await stop();
  return { kills, lives };
}

/** The control: the comparison after the database's owner deleted an event in the middle. */
async function compareWithoutOne({ server, credentials, acked }: Soak): Promise<Findings> {
  await tamper(
    server,
    (tx) => tx`DELETE FROM audit_logs WHERE org_id = ${credentials.orgId} AND chain_seq = (
      SELECT chain_seq FROM audit_logs WHERE org_id = ${credentials.orgId} AND action = 'device.update'
      ORDER BY chain_seq OFFSET 1 LIMIT 1)`,
  );
  return compare(server, credentials, acked);
}

const run = (input: LineInput): Promise<Outcome> =>
  withServer(async (server) => {
    const soak: Soak = { server, credentials: await prepare(server), acked: nothingYet() };
    const { orgId } = soak.credentials;
    const key = await createKey(server, soak.credentials, ["audit:read", "devices:read"]);
    const stopReading = startReaders(server, key, orgId);
    const { kills, lives } = await runWithKills(soak, input);
    const read = await stopReading();
    const found = await compare(server, soak.credentials, soak.acked);
    const night = await faultsOfNight(server, orgId);
    const { acknowledged, ...lost } = found;
    const control = await compareWithoutOne(soak);
    const answers = [...soak.acked.answers, ...read];
    const faults = [
      ...(wrongIn(found) > 0 ? ["something was lost"] : []),
      ...night,
      ...wrongAnswers(answers).map(([status, count]) => `answered ${status} x${count}`),
      ...growth(lives[0], lives.at(-1)),
      ...(kills === 0 ? ["nothing was killed"] : []),
      ...(control.missing > found.missing && control.breaks > found.breaks
        ? []
        : ["a stored event deleted was not seen"]),
    ];
    const summary = lives.map(({ mb, handles }) => `${mb} MB ${handles} handles`).join(", ");
    return {
      tried: acknowledged,
      failed: acknowledged === 0 ? 1 : faults.length,
      detail: [
        `${input.minutes} minutes, ${kills} kills, ${listed(lost)}`,
        `each server before its kill: ${summary}; answers ${tallied(answers)}`,
        `control, a stored event deleted: missing ${control.missing}, breaks ${control.breaks}`,
        ...faults,
      ].join("; "),
    };
  });

/** Z: mixed load for an hour, and kill -9 of the server or PostgreSQL every two minutes. */
export const soakLine: Line = { id: "Z", title: "mixed load with a kill every two minutes", run };
