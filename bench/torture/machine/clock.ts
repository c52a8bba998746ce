import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compare, type Findings } from "@/bench/torture/compare";
import { ownerOf } from "@/bench/torture/folder";
import { type Acknowledged, nothingYet, prepare, startLoad } from "@/bench/torture/load";
import { runProduct } from "@/bench/torture/product";
import { type Line, type LineInput, needing } from "@/bench/torture/types";
import { clusterOf, freePort, type Server, startServer, stopServer } from "@/testing/server";

/** Debian's package libfaketime, or the path in LIBFAKETIME. */
const LIBRARY = process.env.LIBFAKETIME ?? "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
const WRITERS = 4;
const WRITE_MS = 1_500;

/**
 * Clock offset of the server from the machine and database, which starts with its own environment. Sign-ins last thirty
 * days, so a server further behind accepts none.
 */
const SETTINGS = ["-1h", "+0", "+365d", "+0", "-7d", "+0"];

/** The control: a log ordered by timestamps must be misled, or the clock was never moved. */
async function isLedAstray(server: Server, orgId: string): Promise<string | null> {
  const sql = ownerOf(server);
  try {
    const [row] = await sql<{ back: number; days: number }[]>`
      SELECT count(*) FILTER (WHERE timestamp < before)::int AS back,
        (extract(epoch FROM max(timestamp) - min(timestamp)) / 86400)::int AS days
      FROM (SELECT timestamp, lag(timestamp) OVER (ORDER BY chain_seq) AS before
        FROM audit_logs WHERE org_id = ${orgId}) entries`;
    return row && row.back > 0 && row.days > 300 ? `${row.back} entries before their predecessors by timestamp` : null;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function runUnderClock({ rounds, random, progress }: LineInput) {
  const folder = mkdtempSync(join(tmpdir(), "trailmark-torture-clock-"));
  chmodSync(folder, 0o755);
  const clock = join(folder, "clock");
  const set = (offset: string) => writeFileSync(clock, `${offset}\n`);
  set("+0");
  const faked = {
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: "1",
    // Timers use the monotonic clock.
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    DONT_FAKE_MONOTONIC: "1",
  };
  const server = await startServer({ dataDir: join(folder, "data"), port: await freePort(), env: faked });
  const found: { setting: string; findings: Findings }[] = [];
  try {
    const credentials = await prepare(server.base);
    const acked: Acknowledged = nothingYet();
    const faults: string[] = [];
    for (let round = 0; round < rounds; round++)
      for (const setting of SETTINGS) {
        progress(`round ${round + 1}, ${setting}`);
        const stop = startLoad(server.base, { credentials, acked }, WRITERS);
        await sleep(WRITE_MS * (0.3 + random()));
        set(setting);
        await sleep(WRITE_MS * (0.3 + random()));
        await stop();
        found.push({ setting, findings: await compare(server, credentials, acked) });
      }
    const astray = await isLedAstray(server, credentials.orgId);
    if (!astray) faults.push("the server's clock did not move");
    const { code, out, err } = await runProduct(server, ["nightly", "--org", credentials.orgId]);
    if (code !== 0) faults.push(`the night afterwards: ${code} ${out}${err}`);
    const wrong = [...acked.answers].filter(([status]) => status >= 500 && status !== 503);
    if (wrong.length > 0) faults.push(`answered ${wrong.map(([status, count]) => `${status} x${count}`)}`);
    for (const { setting, findings } of found) {
      const { missing, duplicates, unsealed, breaks } = findings;
      if (missing + duplicates + unsealed + breaks > 0)
        faults.push(`${setting}: missing ${missing}, doubled ${duplicates}, unsealed ${unsealed}, breaks ${breaks}`);
    }
    const seen = found.at(-1)?.findings.acknowledged ?? 0;
    return {
      tried: seen,
      failed: seen === 0 ? 1 : faults.length,
      detail: [`${found.length} settings of the clock, ${seen} acknowledged`, astray ?? "", ...faults]
        .filter(Boolean)
        .join("; "),
    };
  } finally {
    const { folder: cluster } = clusterOf(server.dataDir);
    await stopServer(server);
    for (const path of [cluster, folder]) rmSync(path, { recursive: true, force: true });
  }
}

/** H5, clock: the server's set back by an hour and a week, and forward by a year, during writes. */
export const clockLines: Line[] = [
  needing(() => (existsSync(LIBRARY) ? null : `libfaketime is not at ${LIBRARY} (LIBFAKETIME says where)`), {
    id: "H5-clock",
    title: "server clock set back and forward while events arrive",
    run: runUnderClock,
  }),
];
