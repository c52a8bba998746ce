import { setTimeout as sleep } from "node:timers/promises";
import { compare, type Findings } from "@/bench/torture/compare";
import { ownerOf, startShared } from "@/bench/torture/folder";
import { type Acknowledged, type Credentials, json, nothingYet, prepare, startLoad } from "@/bench/torture/load";
import { runProduct } from "@/bench/torture/product";
import type { Line, LineInput, Outcome } from "@/bench/torture/types";
import { killPostgres, killServer, type Server, stopServer } from "@/testing/server";
import { growth, type Held, heldBy } from "./flat";

const KILL_EVERY_MS = 120_000;
const WRITERS = 3;
const READ_EVERY_MS = 500;

/** Requests of people during the writes, one after the other. */
const READS = (orgId: string): string[] => [
  `/audit-logs/logs?orgId=${orgId}&limit=50`,
  `/audit-logs/search?orgId=${orgId}&q=torture`,
  `/audit-logs/integrity?orgId=${orgId}`,
  `/audit-logs/reports/user-activity?orgId=${orgId}`,
  `/audit-logs/logs?orgId=${orgId}&result=failure`,
  "/devices",
];

/** Reads until stopped. @returns counts by status; 0 without an answer */
function startReaders(base: () => string, token: string, orgId: string): () => Promise<Map<number, number>> {
  const answers = new Map<number, number>();
  let stop = false;
  const paths = READS(orgId);
  const running = (async () => {
    for (let i = 0; !stop; i++) {
      const url = `${base()}/api/v1${paths[i % paths.length]}`;
      const status = await fetch(url, {
        headers: { Authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(60_000),
      }).then(
        (answer) => answer.arrayBuffer().then(() => answer.status),
        () => 0,
      );
      answers.set(status, (answers.get(status) ?? 0) + 1);
      await sleep(READ_EVERY_MS);
    }
  })();
  return async () => {
    stop = true;
    await running;
    return answers;
  };
}

const readerKey = async ({ base }: Server, { accessToken, orgId }: Credentials): Promise<string> => {
  const body = { name: "reader", orgId, permissions: ["audit:read", "devices:read"] };
  return (await json<{ key: string }>(base, { method: "POST", path: "/api-keys", token: accessToken, body })).key;
};

type Soak = { server: Server; credentials: Credentials; acked: Acknowledged };

/** Load with a kill every two minutes, of database and server in turn. @returns each server's last state */
async function runWithKills(soak: Soak, { minutes, progress }: LineInput): Promise<{ kills: number; lives: Held[] }> {
  const lives: Held[] = [];
  const until = Date.now() + minutes * 60_000;
  let kills = 0;
  let stop = startLoad(soak.server.base, soak, WRITERS);
  while (Date.now() + KILL_EVERY_MS <= until) {
    progress(`kill ${kills + 1}`);
    await sleep(KILL_EVERY_MS);
    kills++;
    if (kills % 2 === 1) {
      await killPostgres(soak.server.dataDir);
      continue;
    }
    lives.push(heldBy(soak.server));
    await killServer(soak.server);
    await stop();
    soak.server = await startShared();
    stop = startLoad(soak.server.base, soak, WRITERS);
  }
  await sleep(Math.max(0, until - Date.now()));
  await stop();
  return { kills, lives };
}

/** The control: the comparison after the database's owner deleted an event in the middle. */
async function compareWithoutOne({ server, credentials, acked }: Soak): Promise<Findings> {
  const sql = ownerOf(server);
  try {
    await sql.begin(async (tx) => {
      await tx`SET LOCAL session_replication_role = replica`;
      await tx`DELETE FROM audit_logs WHERE org_id = ${credentials.orgId} AND chain_seq = (
        SELECT chain_seq FROM audit_logs WHERE org_id = ${credentials.orgId} AND action = 'device.update'
        ORDER BY chain_seq OFFSET 1 LIMIT 1)`;
    });
  } finally {
    await sql.end();
  }
  return compare(server, credentials, acked);
}

async function run(input: LineInput): Promise<Outcome> {
  const server = await startShared();
  const soak: Soak = { server, credentials: await prepare(server.base), acked: nothingYet() };
  try {
    const stopReading = startReaders(
      () => soak.server.base,
      await readerKey(server, soak.credentials),
      soak.credentials.orgId,
    );
    const { kills, lives } = await runWithKills(soak, input);
    const read = await stopReading();
    const found = await compare(soak.server, soak.credentials, soak.acked);
    const { code, out, err } = await runProduct(soak.server, ["nightly", "--org", soak.credentials.orgId]);
    const { missing, duplicates, unsealed, breaks } = found;
    const control = await compareWithoutOne(soak);
    const wrong = [...soak.acked.answers, ...read].filter(([status]) => status >= 500 && status !== 503);
    const faults = [
      ...(missing + duplicates + unsealed + breaks > 0 ? ["something was lost"] : []),
      ...(code === 0 ? [] : [`the night afterwards: ${code} ${out}${err}`]),
      ...wrong.map(([status, count]) => `answered ${status} x${count}`),
      ...growth(lives[0], lives.at(-1)),
      ...(kills === 0 ? ["nothing was killed"] : []),
      ...(control.missing > missing && control.breaks > breaks ? [] : ["a stored event deleted was not seen"]),
    ];
    const answers = [...soak.acked.answers, ...read].map(([status, count]) => `${status}x${count}`).join(" ");
    const summary = lives.map(({ mb, handles }) => `${mb} MB ${handles} handles`).join(", ");
    return {
      tried: found.acknowledged,
      failed: found.acknowledged === 0 ? 1 : faults.length,
      detail: [
        `${input.minutes} minutes, ${kills} kills, missing ${missing}, duplicates ${duplicates}, unsealed ${unsealed}, breaks ${breaks}`,
        `each server before its kill: ${summary}; answers ${answers}`,
        `control, a stored event deleted: missing ${control.missing}, breaks ${control.breaks}`,
        ...faults,
      ].join("; "),
    };
  } finally {
    await stopServer(soak.server);
  }
}

/** Z: mixed load for an hour, and kill -9 of the server or PostgreSQL every two minutes. */
export const soakLine: Line = { id: "Z", title: "mixed load with a kill every two minutes", run };
