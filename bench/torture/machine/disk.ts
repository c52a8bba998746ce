import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compare } from "@/bench/torture/compare";
import { ownerOf } from "@/bench/torture/folder";
import { type Acknowledged, type Credentials, nothingYet, prepare, startLoad } from "@/bench/torture/load";
import { runProduct } from "@/bench/torture/product";
import { type Line, type LineInput, needing, type Outcome } from "@/bench/torture/types";
import {
  clusterOf,
  endServer,
  freePort,
  isReady,
  killServer,
  makeCommitsLazy,
  type Server,
  startServer,
  stopServer,
} from "@/testing/server";
import { SmallDisk, whyNotMounted } from "./small-disk";

const MEGABYTES = 900;
const WRITERS = 6;
const FULL_MS = 4_000;
const RECOVERY_MS = 60_000;
const ANSWER_MS = 10_000;
/** Free space: none, too little for the database, too little for a while. */
const LEFT = [0, 64 * 1024, 2 * 1024 * 1024, 18 * 1024 * 1024];

/** Refuses a cluster on another disk, which would neither be full nor lose anything. */
function requireOn({ folder }: SmallDisk, { dataDir }: Server): void {
  if (!clusterOf(dataDir).folder.startsWith(folder)) throw new Error("the database is not on the small disk");
}

type Held = { server: Server; credentials: Credentials; acked: Acknowledged };

/** Compares acknowledged events with the log, and runs the nightly verification. */
async function judge({ server, credentials, acked }: Held, faults: string[]): Promise<Outcome> {
  const { acknowledged, missing, duplicates, unsealed, breaks } = await compare(server, credentials, acked);
  const { code, out, err } = await runProduct(server, ["nightly", "--org", credentials.orgId]);
  if (code !== 0) faults.push(`the night afterwards: ${code} ${out}${err}`);
  const wrong = [...acked.answers].filter(([status]) => status >= 500 && status !== 503);
  if (wrong.length > 0) faults.push(`answered ${wrong.map(([status, count]) => `${status} x${count}`)}`);
  return {
    tried: acknowledged,
    failed: acknowledged === 0 ? 1 : missing + duplicates + unsealed + breaks + faults.length,
    detail: [
      `missing ${missing}, duplicates ${duplicates}, unsealed ${unsealed}, breaks ${breaks}`,
      `answers ${[...acked.answers].map(([status, count]) => `${status} x${count}`).join(" ")}`,
      ...faults,
    ].join("; "),
  };
}

/** H5, disk: a small disk for database, spool and checkpoints, filled to the last byte during writes. */
async function fillUp({ rounds, progress }: LineInput): Promise<Outcome> {
  const disk = new SmallDisk(MEGABYTES);
  try {
    const server = await startServer({ dataDir: join(disk.folder, "data"), port: await freePort() });
    try {
      requireOn(disk, server);
      const held: Held = { server, credentials: await prepare(server.base), acked: nothingYet() };
      const faults: string[] = [];
      for (let round = 0; round < rounds; round++)
        for (const left of LEFT) {
          progress(`round ${round + 1}, ${left} bytes left`);
          const stop = startLoad(server.base, held, WRITERS);
          await sleep(500);
          disk.fill(left);
          await sleep(FULL_MS);
          disk.free();
          const freed = Date.now();
          while (!(await isReady(server.base)) && Date.now() - freed < RECOVERY_MS) await sleep(50);
          if (!(await isReady(server.base)))
            faults.push(`not ready ${RECOVERY_MS / 1_000} s after there was room again`);
          await sleep(500);
          await stop();
        }
      // The control: if everything still worked, the disk was not full.
      if (![...held.acked.answers.keys()].includes(503)) faults.push("nobody was refused: the disk was never full");
      return await judge(held, faults);
    } finally {
      await endServer(server);
    }
  } finally {
    disk.end();
  }
}

/** Otherwise the WAL writer flushes most of it during the power cut. */
async function writeLogLate(server: Server): Promise<void> {
  const sql = ownerOf(server);
  await sql`ALTER SYSTEM SET wal_writer_delay = '10s'`;
  await sql.end({ timeout: 5 });
}

/** Waits for further rows kept only by the database: promised, though not yet on disk. */
async function justAcknowledged({ deviceEvents, logs }: Acknowledged): Promise<void> {
  const before = deviceEvents.size + logs.size;
  const deadline = Date.now() + ANSWER_MS;
  while (deviceEvents.size + logs.size === before && Date.now() < deadline) await sleep(1);
}

/** H5, power: the file system stops under load, unflushed data is lost, server and database restart. */
async function cutPower({ rounds, random, progress }: LineInput, lazy = false): Promise<Outcome & { missing: number }> {
  const disk = new SmallDisk(MEGABYTES);
  let server: Server | undefined;
  try {
    const [dataDir, port] = [join(disk.folder, "data"), await freePort()];
    server = await startServer({ dataDir, port });
    requireOn(disk, server);
    const held: Held = { server, credentials: await prepare(server.base), acked: nothingYet() };
    if (lazy) {
      await makeCommitsLazy(dataDir);
      await writeLogLate(server);
      await stopServer(server);
      server = await startServer({ dataDir, port });
    }
    for (let round = 0; round < rounds; round++) {
      progress(`cut ${round + 1}`);
      const stop = startLoad(server.base, held, WRITERS);
      await sleep(400 + random() * 900);
      await justAcknowledged(held.acked);
      disk.cutPower();
      // The server first, or it would restart the database.
      await killServer(server);
      await disk.endProcesses();
      await stop();
      disk.unmount();
      disk.mount();
      server = await startServer({ dataDir, port });
    }
    const { missing } = await compare(server, held.credentials, held.acked);
    return { ...(await judge({ ...held, server }, [])), missing };
  } finally {
    if (server) await endServer(server);
    disk.end();
  }
}

export const diskLines: Line[] = [
  { id: "H5-disk", title: "full disk of database, spool and checkpoints while events arrive", run: fillUp },
  {
    id: "H5-power",
    title: "power cut under load, losing everything not flushed",
    run: (input: LineInput) => cutPower(input),
  },
  {
    id: "H5-power-control",
    title: "control: synchronous_commit off must lose events",
    run: async (input: LineInput) => {
      const { missing, ...found } = await cutPower(input, true);
      return { ...found, failed: missing > 0 ? 0 : 1 };
    },
  },
].map((line) => needing(whyNotMounted, line));
