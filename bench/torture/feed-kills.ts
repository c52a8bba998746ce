import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { killServer, type Server, startServer, stopServer } from "@/testing/server";
import { untilWritten } from "./compare";
import { ownerOf } from "./folder";
import { withFolder } from "./kills";
import { type Credentials, json, nothingYet, prepare, startLoad, underLoad } from "./load";
import { type Line, type LineInput, needing, type Outcome } from "./types";

const WRITERS = 4;
/** Maximum life of a reader before its kill: while it requests, waits, stores, or in between. */
const READER_MS = 1_500;
const CAUGHT_UP_MS = 90_000;

/** The reader in the API guide, verbatim. */
function guideReader(): string {
  const guide = readFileSync("docs/api.md", "utf8");
  const [, script] = /^## Following the log$[\s\S]*?^```sh\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  if (!script) throw new Error("docs/api.md has no reader of the feed");
  return script;
}

/** Settings of a reader that stores its position and entries in files. */
type Reader = { script: string; folder: string; env: Record<string, string> };

async function createReader({ base }: Server, { accessToken, orgId }: Credentials, folder: string) {
  const body = { name: "reader", orgId, permissions: ["audit:stream"] };
  const { key } = await json<{ key: string }>(base, { method: "POST", path: "/api-keys", token: accessToken, body });
  return { folder: mkdtempSync(join(folder, "reader-")), env: { URL: `${base}/api/v1`, TOKEN: key } };
}

/** Starts the reader. @returns a function that ends it and its curl by kill -9 */
function startReader({ script, folder, env }: Reader) {
  const child = spawn("bash", ["-c", script], {
    ...{ cwd: folder, env: { NODE_ENV: "production", PATH: process.env.PATH ?? "", ...env } },
    ...{ detached: true, stdio: "ignore" },
  });
  const ended = once(child, "exit");
  const kill = () => {
    if (child.pid && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGKILL");
  };
  return { ended, kill };
}

/** Restarts the reader whenever it ends, as it does without a server, and kills it at random times. */
function keepReading(reader: Reader, random: () => number): () => Promise<number> {
  let isStopped = false;
  const run = async () => {
    let ends = 0;
    for (; !isStopped; ends++) {
      const { ended, kill } = startReader(reader);
      const timer = setTimeout(kill, random() * READER_MS);
      await ended;
      clearTimeout(timer);
    }
    return ends;
  };
  const running = run();
  return () => {
    isStopped = true;
    return running;
  };
}

const idsIn = ({ folder }: Reader): string[] =>
  readFileSync(join(folder, "log.ndjson"), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line).id);

type Found = { entries: number; late: number; lost: number; doubled: number; disordered: number };

/** Lets the reader catch up, and compares its file with the log. */
async function compareWith(server: Server, { orgId }: Credentials, reader: Reader): Promise<Found> {
  await untilWritten(server.base);
  const sql = ownerOf(server);
  const rows = await sql<{ id: string; isLate: boolean }[]>`
    SELECT id, timestamp < lag(timestamp) OVER (ORDER BY chain_seq) AS "isLate"
    FROM audit_logs WHERE org_id = ${orgId} ORDER BY chain_seq`;
  await sql.end();
  const { ended, kill } = startReader(reader);
  const last = rows.at(-1)?.id;
  for (const end = Date.now() + CAUGHT_UP_MS; idsIn(reader).at(-1) !== last && Date.now() < end; ) await sleep(100);
  kill();
  await ended;
  const taken = idsIn(reader);
  const first = new Set(taken);
  const expected = rows.map(({ id }) => id).filter((id) => first.has(id));
  return {
    entries: rows.length,
    late: rows.filter(({ isLate }) => isLate).length,
    lost: rows.length - expected.length,
    doubled: taken.length - first.size,
    disordered: [...first].filter((id, i) => id !== expected[i]).length,
  };
}

async function run({ rounds, random }: LineInput, script: string): Promise<Found & { readers: number }> {
  return withFolder(async (dataDir, port) => {
    let server = await startServer({ dataDir, port });
    const credentials = await prepare(server.base);
    const reader = { script, ...(await createReader(server, credentials, dataDir)) };
    const stopReading = keepReading(reader, random);
    const acked = nothingYet();
    for (let round = 0; round < rounds; round++) {
      const stop = startLoad(server.base, { credentials, acked }, WRITERS);
      await underLoad(acked, 1_500 + random() * 2_000);
      await killServer(server);
      await stop();
      server = await startServer({ dataDir, port });
    }
    const readers = await stopReading();
    const found = await compareWith(server, credentials, reader);
    await stopServer(server);
    return { ...found, readers };
  });
}

const toOutcome = (
  rounds: number,
  { entries, ...found }: Awaited<ReturnType<typeof run>>,
  failed: number,
): Outcome => ({
  tried: entries,
  failed,
  detail: [`${rounds} kills of the server`, ...Object.entries(found).map(([name, n]) => `${name} ${n}`)].join(", "),
});

const hasCurl = (): string | null => {
  const [, major = "0", minor = "0"] = /^curl (\d+)\.(\d+)/.exec(String(spawnSync("curl", ["--version"]).stdout)) ?? [];
  return Number(major) * 1_000 + Number(minor) >= 7_084 ? null : "needs curl 7.84 or newer";
};

/**
 * ST2: the guide's reader has every entry once and in order, late timestamps included, wherever it and the server are
 * killed.
 */
export const feedKillLine: Line = needing(hasCurl, {
  id: "ST2",
  title: "kill -9 of the server and of a feed reader",
  run: async (input) => {
    const found = await run(input, guideReader());
    const { late, lost, doubled, disordered } = found;
    return toOutcome(input.rounds, found, late === 0 ? 1 : lost + doubled + disordered);
  },
});

/** The control: a reader that forgets its file's length with its position must be caught with duplicate entries. */
export const forgottenSizeLine: Line = needing(hasCurl, {
  id: "ST2-control",
  title: "control: a reader that keeps entries beyond its position must have duplicates",
  run: async (input) => {
    const found = await run(input, guideReader().replace(/^truncate .*$/m, "touch log.ndjson"));
    return toOutcome(input.rounds, found, found.doubled > 0 ? 0 : 1);
  },
});
