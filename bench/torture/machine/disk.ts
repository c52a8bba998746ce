import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Credentials, prepare } from "@/bench/torture/api";
import { compare, wrongIn } from "@/bench/torture/compare";
import { withOwner } from "@/bench/torture/folder";
import { type Acknowledged, nothingYet, startLoad, tallied, wrongAnswers } from "@/bench/torture/load";
import { faultsOfNight } from "@/bench/torture/product";
import { controlled, type Found, type LineInput, listed, needing, type Outcome } from "@/bench/torture/types";
import { holdsInTime } from "@/bench/until";
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
/** Bytes left free: nothing at all, too little for the database, too little for a while. */
const LEFT = [0, 64 * 1024, 2 * 1024 * 1024, 18 * 1024 * 1024];

/** Refuses a cluster on another disk, which would neither be full nor lose anything. */
function requireOn({ folder }: SmallDisk, { dataDir }: Server): void {
  if (!clusterOf(dataDir).folder.startsWith(folder)) throw new Error("the database is not on the small disk");
}

type Held = { server: Server; credentials: Credentials; acked: Acknowledged };

/** Acknowledged events against the stored ones, by the log and by the night's verification. */
async function judge({ server, credentials, acked }: Held, faults: string[] = []): Promise<Found> {
  const { acknowledged, ...lost } = await compare(server, credentials, acked);
  const wrong = wrongAnswers(acked.answers);
  faults.push(...(await faultsOfNight(server, credentials.orgId)));
  if (wrong.length > 0) faults.push(`answered ${tallied(wrong)}`);
  return {
    tried: acknowledged,
    failed: acknowledged === 0 ? 1 : wrongIn({ acknowledged, ...lost }) + faults.length,
    caught: lost.missing,
    detail: [listed(lost), `answers ${tallied(acked.answers)}`, ...faults].join("; "),
  };
}

/** H5, disk: a small disk for database, spool and checkpoints, filled to the last byte during writes. */
async function fillUp({ rounds, progress }: LineInput): Promise<Outcome> {
  const disk = new SmallDisk(MEGABYTES);
  try {
    const server = await startServer({ dataDir: join(disk.folder, "data"), port: await freePort() });
    try {
      requireOn(disk, server);
      const held: Held = { server, credentials: await prepare(server), acked: nothingYet() };
      const faults: string[] = [];
      for (let round = 0; round < rounds; round++)
        for (const left of LEFT) {
          progress(`round ${round + 1}, ${left} bytes left`);
          const stop = startLoad(server, held, WRITERS);
          await sleep(500);
          disk.fill(left);
          await sleep(FULL_MS);
          disk.free();
          if (!(await holdsInTime(() => isReady(server.base), { ms: RECOVERY_MS })))
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
const writeLogLate = (server: Server) => withOwner(server, (sql) => sql`ALTER SYSTEM SET wal_writer_delay = '10s'`);

/** Waits for further rows kept only by the database: promised, though not yet on disk. */
async function justAcknowledged({ deviceEvents, logs }: Acknowledged): Promise<void> {
  const before = deviceEvents.size + logs.size;
  await holdsInTime(() => deviceEvents.size + logs.size > before, { ms: ANSWER_MS, pauseMs: 1 });
}

/** H5, power: the file system stops under load, unflushed data is lost, server and database restart. */
async function cutPower({ rounds, random, progress }: LineInput, isBroken: boolean): Promise<Found> {
  const disk = new SmallDisk(MEGABYTES);
  let server: Server | undefined;
  try {
    const [dataDir, port] = [join(disk.folder, "data"), await freePort()];
    server = await startServer({ dataDir, port });
    requireOn(disk, server);
    const held: Held = { server, credentials: await prepare(server), acked: nothingYet() };
    if (isBroken) {
      await makeCommitsLazy(dataDir);
      await writeLogLate(server);
      await stopServer(server);
      server = await startServer({ dataDir, port });
    }
    for (let round = 0; round < rounds; round++) {
      progress(`cut ${round + 1}`);
      const stop = startLoad(server, held, WRITERS);
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
    return await judge({ ...held, server });
  } finally {
    if (server) await endServer(server);
    disk.end();
  }
}

export const diskLines = [
  { id: "H5-disk", title: "full disk of database, spool and checkpoints while events arrive", run: fillUp },
  ...controlled({
    id: "H5-power",
    title: "power cut under load, losing everything not flushed",
    control: "synchronous_commit off must lose events",
    run: cutPower,
  }),
].map((line) => needing(whyNotMounted, line));
