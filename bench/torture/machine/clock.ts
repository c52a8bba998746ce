import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { prepare } from "@/bench/torture/api";
import { judge } from "@/bench/torture/compare";
import { withOwner, withOwnServer } from "@/bench/torture/folder";
import type { Found, Input, Line } from "@/bench/torture/line";
import { Load } from "@/bench/torture/load";
import { faultsOfNight } from "@/bench/torture/product";
import type { Server } from "@/testing/server";
import { tempFolder } from "@/testing/temp-folder";

/** Debian's package libfaketime, or the path in LIBFAKETIME. */
const LIBRARY = process.env.LIBFAKETIME ?? "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
const WRITERS = 4;
const WRITE_MS = 1_500;

/**
 * The server's clock against the machine's, which is the database's: the embedded one starts without any
 * environment but its own. Sign-ins last thirty days, so a server that is further behind its database accepts no sign-in.
 */
const SETTINGS = ["-1h", "+0", "+365d", "+0", "-7d", "+0"];

/** Entries before their predecessors, and days between the first and the last, in a log ordered by timestamps. */
const disorderOf = (server: Server, orgId: string) =>
  withOwner(server, async (sql) => {
    const [row] = await sql<{ back: number; days: number }[]>`
      SELECT count(*) FILTER (WHERE timestamp < before)::int AS back,
        (extract(epoch FROM max(timestamp) - min(timestamp)) / 86400)::int AS days
      FROM (SELECT timestamp, lag(timestamp) OVER (ORDER BY chain_seq) AS before
        FROM audit_logs WHERE org_id = ${orgId}) entries`;
    return row ?? { back: 0, days: 0 };
  });

type Clock = { file: string; env: Record<string, string> };
const setClock = ({ file }: Clock, offset: string) => writeFileSync(file, `${offset}\n`);

const runUnderClock = ({ rounds, random, progress }: Input, found: Found, clock: Clock): Promise<void> =>
  withOwnServer(async (server) => {
    const load = new Load(server, await prepare(server), WRITERS);
    const { orgId } = load.credentials;
    for (let round = 0; round < rounds; round++)
      for (const setting of SETTINGS) {
        progress(`round ${round + 1}, ${setting}`);
        await load.during(async () => {
          await sleep(WRITE_MS * (0.3 + random()));
          setClock(clock, setting);
          await sleep(WRITE_MS * (0.3 + random()));
        });
        found.tried = await judge(found, server, load);
      }
    // The clock must have moved, and a log ordered by timestamps must be misled.
    const { back, days } = await disorderOf(server, orgId);
    found.control("a log by its timestamps", back > 0 && days > 300 ? 1 : 0);
    found.note(`${rounds * SETTINGS.length} settings of the clock, ${back} entries before their predecessors`);
    found.faults(await faultsOfNight(server, orgId));
  }, clock);

/** H5, clock: the server's set back by an hour and a week, and forward by a year, during writes. */
export const clockChanges: Line = {
  id: "H5-clock",
  title: "server clock set back and forward while events arrive",
  ...{ quick: 1, full: 10, slow: true },
  lacks: () => (existsSync(LIBRARY) ? null : `libfaketime is not at ${LIBRARY} (LIBFAKETIME says where)`),
  run(input, found) {
    const file = join(tempFolder(), "clock");
    const env = {
      ...{ LD_PRELOAD: LIBRARY, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: "1" },
      // Timers use the monotonic clock.
      ...{ FAKETIME_DONT_FAKE_MONOTONIC: "1", DONT_FAKE_MONOTONIC: "1" },
    };
    setClock({ file, env }, "+0");
    return runUnderClock(input, found, { file, env });
  },
};
