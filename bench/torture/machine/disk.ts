import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { prepare } from "@/bench/torture/api";
import { judge } from "@/bench/torture/compare";
import { makeCommitsLazy, type Site, withOwner, withOwnServer } from "@/bench/torture/folder";
import type { Found, Input, Line } from "@/bench/torture/line";
import { Load } from "@/bench/torture/load";
import { faultsOfNight } from "@/bench/torture/product";
import { holdsInTime } from "@/bench/until";
import { clusterOf, isReady, killServer, type Server, stopServer } from "@/testing/server";
import { SmallDisk, whyNotMounted } from "./small-disk";

const MEGABYTES = 900;
const WRITERS = 6;
const FULL_MS = 4_000;
const RECOVERY_MS = 60_000;
const ANSWER_MS = 10_000;
/** Bytes left free: nothing at all, too little for the database, too little for a while. */
const LEFT = [0, 64 * 1024, 2 * 1024 * 1024, 18 * 1024 * 1024];

/** A server whose database, spool and checkpoints are on a small disk. */
async function onSmallDisk(fn: (server: Site, disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = new SmallDisk(MEGABYTES);
  const requireOn = ({ dataDir }: Server) => {
    // Another disk would neither be full nor lose anything.
    if (!clusterOf(dataDir).folder.startsWith(disk.folder)) throw new Error("the database is not on the small disk");
  };
  const run = async (server: Site) => {
    requireOn(server);
    await fn(server, disk);
  };
  await withOwnServer(run, { dataDir: join(disk.folder, "data") }).finally(() => disk.end());
}

/** Acknowledged events against the stored ones, by the log and by the night's verification. */
async function judgeNight(found: Found, server: Server, load: Load): Promise<void> {
  found.tried += await judge(found, server, load);
  found.faults(await faultsOfNight(server, load.credentials.orgId));
}

/** H5, disk: the disk filled to the last byte during writes. */
const fillUp = ({ rounds, progress }: Input, found: Found): Promise<void> =>
  onSmallDisk(async (server, disk) => {
    const load = new Load(server, await prepare(server), WRITERS);
    for (let round = 0; round < rounds; round++)
      for (const left of LEFT) {
        progress(`round ${round + 1}, ${left} bytes left`);
        await load.during(async () => {
          await sleep(500);
          disk.fill(left);
          await sleep(FULL_MS);
          disk.free();
          if (!(await holdsInTime(() => isReady(server.base), { ms: RECOVERY_MS })))
            found.fault(`not ready ${RECOVERY_MS / 1_000} s after there was room again`);
          await sleep(500);
        });
      }
    // If everything still worked, the disk was not full.
    found.control("a full disk that refuses somebody", load.answers.has(503) ? 1 : 0);
    await judgeNight(found, server, load);
  });

/** Otherwise the WAL writer flushes most of it during the power cut. */
const writeLogLate = (server: Server) => withOwner(server, (sql) => sql`ALTER SYSTEM SET wal_writer_delay = '10s'`);

/** Waits for further rows kept only by the database: promised, though not yet on disk. */
async function justAcknowledged({ deviceEvents, logs }: Load["acked"]): Promise<void> {
  const before = deviceEvents.size + logs.size;
  await holdsInTime(() => deviceEvents.size + logs.size > before, { ms: ANSWER_MS, pauseMs: 1 });
}

/** H5, power: the file system stops under load, unflushed data is lost, server and database restart. */
const cutPower = ({ rounds, random, progress, isBroken }: Input, found: Found): Promise<void> =>
  onSmallDisk(async (server, disk) => {
    const load = new Load(server, await prepare(server), WRITERS);
    if (isBroken) {
      await makeCommitsLazy(server);
      await writeLogLate(server);
      await stopServer(server);
      await server.start();
    }
    for (let round = 0; round < rounds; round++) {
      progress(`cut ${round + 1}`);
      await load.during(async () => {
        await sleep(400 + random() * 900);
        await justAcknowledged(load.acked);
        disk.cutPower();
        // The server first, or it would restart the database.
        await killServer(server);
        await disk.endProcesses();
      });
      disk.unmount();
      disk.mount();
      await server.start();
    }
    await judgeNight(found, server, load);
  });

const ROUNDS = { quick: 1, full: 10, slow: true } as const;

export const fullDisk: Line = {
  id: "H5-disk",
  title: "full disk of database, spool and checkpoints while events arrive",
  ...ROUNDS,
  lacks: whyNotMounted,
  run: fillUp,
};

export const powerCuts: Line = {
  id: "H5-power",
  title: "power cut under load, losing everything not flushed",
  ...ROUNDS,
  lacks: whyNotMounted,
  control: { title: "synchronous_commit off must lose events", ...ROUNDS },
  run: cutPower,
};
