import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { holdsInTime } from "@/bench/until";
import { killServer, type Server } from "@/testing/server";
import { type Credentials, createKey, prepare } from "./api";
import { untilWritten } from "./compare";
import { withOwner, withOwnServer } from "./folder";
import { type Line, listed } from "./line";
import { Load } from "./load";

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

async function createReader(server: Server, credentials: Credentials, script: string): Promise<Reader> {
  const key = await createKey(server, credentials, ["audit:stream"]);
  const folder = mkdtempSync(join(server.dataDir, "reader-"));
  return { script, folder, env: { URL: `${server.base}/api/v1`, TOKEN: key } };
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

/** Lets the reader catch up, and compares its file with the log. */
async function compareWith(server: Server, { orgId }: Credentials, reader: Reader) {
  await untilWritten(server);
  const rows = await withOwner(
    server,
    (sql) => sql<{ id: string; isLate: boolean }[]>`
      SELECT id, timestamp < lag(timestamp) OVER (ORDER BY chain_seq) AS "isLate"
      FROM audit_logs WHERE org_id = ${orgId} ORDER BY chain_seq`,
  );
  const { ended, kill } = startReader(reader);
  const last = rows.at(-1)?.id;
  await holdsInTime(() => idsIn(reader).at(-1) === last, { ms: CAUGHT_UP_MS, pauseMs: 100 });
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

const hasCurl = (): string | null => {
  const [, major = "0", minor = "0"] = /^curl (\d+)\.(\d+)/.exec(String(spawnSync("curl", ["--version"]).stdout)) ?? [];
  return Number(major) * 1_000 + Number(minor) >= 7_084 ? null : "needs curl 7.84 or newer";
};

/**
 * ST2: the guide's reader has every entry once and in order, late timestamps included, wherever it and the server are
 * killed. The reader of the control forgets how far its file went with its position.
 */
export const feedKills: Line = {
  id: "ST2",
  title: "kill -9 of the server and of a feed reader",
  ...{ quick: 2, full: 20 },
  lacks: hasCurl,
  control: {
    title: "a reader that keeps entries beyond its position must have duplicates",
    ...{ quick: 3, full: 10, slow: true },
  },
  run: ({ rounds, random, isBroken }, found) =>
    withOwnServer(async (server) => {
      const load = new Load(server, await prepare(server), WRITERS);
      const script = isBroken ? guideReader().replace(/^truncate .*$/m, "touch log.ndjson") : guideReader();
      const reader = await createReader(server, load.credentials, script);
      const stopReading = keepReading(reader, random);
      for (let round = 0; round < rounds; round++) {
        await load.during(async () => {
          await load.acknowledged(1_500 + random() * 2_000);
          await killServer(server);
        });
        await server.start();
      }
      const readers = await stopReading();
      const { entries, late, ...faults } = await compareWith(server, load.credentials, reader);
      found.tried = entries;
      found.caught = faults.doubled;
      found.note(`${rounds} kills of the server`, listed({ late, ...faults, readers }));
      if (late === 0) found.fault("no entry was late");
      for (const [kind, count] of Object.entries(faults)) found.fault(kind, count);
    }),
};
