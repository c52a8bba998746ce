import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { prepare } from "@/bench/torture/api";
import { compare, type Findings, wrongIn } from "@/bench/torture/compare";
import { withFolder, withOwner, withOwnServer } from "@/bench/torture/folder";
import { nothingYet, startLoad, tallied, wrongAnswers } from "@/bench/torture/load";
import { faultsOfNight } from "@/bench/torture/product";
import { type Line, type LineInput, listed, needing, type Outcome } from "@/bench/torture/types";
import type { Server } from "@/testing/server";

/** Debian's package libfaketime, or the path in LIBFAKETIME. */
const LIBRARY = process.env.LIBFAKETIME ?? "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
const WRITERS = 4;
const WRITE_MS = 1_500;

/**
 * The server's clock against the machine's, which is the database's: the embedded one starts without any
 * environment but its own. Sign-ins last thirty days, so a server that is further behind its database accepts no sign-in.
 */
const SETTINGS = ["-1h", "+0", "+365d", "+0", "-7d", "+0"];

/** The control: a log ordered by timestamps must be misled, or the clock was never moved. */
const isLedAstray = (server: Server, orgId: string): Promise<string | null> =>
  withOwner(server, async (sql) => {
    const [row] = await sql<{ back: number; days: number }[]>`
      SELECT count(*) FILTER (WHERE timestamp < before)::int AS back,
        (extract(epoch FROM max(timestamp) - min(timestamp)) / 86400)::int AS days
      FROM (SELECT timestamp, lag(timestamp) OVER (ORDER BY chain_seq) AS before
        FROM audit_logs WHERE org_id = ${orgId}) entries`;
    return row && row.back > 0 && row.days > 300 ? `${row.back} entries before their predecessors by timestamp` : null;
  });

type Clock = { file: string; env: Record<string, string> };
const setClock = ({ file }: Clock, offset: string) => writeFileSync(file, `${offset}\n`);

const runUnderClock = ({ rounds, random, progress }: LineInput, clock: Clock): Promise<Outcome> =>
  withOwnServer(async (server) => {
    const credentials = await prepare(server);
    const acked = nothingYet();
    const found: { setting: string; findings: Findings }[] = [];
    for (let round = 0; round < rounds; round++)
      for (const setting of SETTINGS) {
        progress(`round ${round + 1}, ${setting}`);
        const stop = startLoad(server, { credentials, acked }, WRITERS);
        await sleep(WRITE_MS * (0.3 + random()));
        setClock(clock, setting);
        await sleep(WRITE_MS * (0.3 + random()));
        await stop();
        found.push({ setting, findings: await compare(server, credentials, acked) });
      }
    const astray = await isLedAstray(server, credentials.orgId);
    const wrong = wrongAnswers(acked.answers);
    const seen = found.at(-1)?.findings.acknowledged ?? 0;
    const faults = [
      ...(astray ? [] : ["the server's clock did not move"]),
      ...(await faultsOfNight(server, credentials.orgId)),
      ...(wrong.length > 0 ? [`answered ${tallied(wrong)}`] : []),
      ...found.flatMap(({ setting, findings }) => (wrongIn(findings) > 0 ? [`${setting}: ${listed(findings)}`] : [])),
    ];
    return {
      tried: seen,
      failed: seen === 0 ? 1 : faults.length,
      detail: [
        `${found.length} settings of the clock, ${seen} acknowledged`,
        ...(astray ? [astray] : []),
        ...faults,
      ].join("; "),
    };
  }, clock);

/** H5, clock: the server's set back by an hour and a week, and forward by a year, during writes. */
export const clockLines: Line[] = [
  needing(() => (existsSync(LIBRARY) ? null : `libfaketime is not at ${LIBRARY} (LIBFAKETIME says where)`), {
    id: "H5-clock",
    title: "server clock set back and forward while events arrive",
    run: (input) =>
      withFolder((folder) => {
        const file = join(folder, "clock");
        const env = {
          ...{ LD_PRELOAD: LIBRARY, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: "1" },
          // Timers use the monotonic clock.
          ...{ FAKETIME_DONT_FAKE_MONOTONIC: "1", DONT_FAKE_MONOTONIC: "1" },
        };
        setClock({ file, env }, "+0");
        return runUnderClock(input, { file, env });
      }),
  }),
];
