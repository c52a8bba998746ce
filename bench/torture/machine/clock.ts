import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compare, type Findings } from "@/bench/torture/compare";
import { type Acknowledged, nothingYet, prepare, startLoad } from "@/bench/torture/load";
import { runProduct } from "@/bench/torture/product";
import { type Line, type LineInput, needing } from "@/bench/torture/types";
import { clusterOf, freePort, startServer, stopServer } from "@/testing/server";

/** Debian's package libfaketime, or wherever LIBFAKETIME says that it is. */
const LIBRARY = process.env.LIBFAKETIME ?? "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
const WRITERS = 4;
const WRITE_MS = 1_500;

/** What the clock of server and database says, against the machine's. */
const SETTINGS = ["-1h", "+0", "+365d", "+0", "-30d", "+0"];

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
    // Timers go by the steady clock, which nobody can set.
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
        const stop = startLoad(server.base, credentials, acked, WRITERS);
        await sleep(WRITE_MS * (0.3 + random()));
        set(setting);
        await sleep(WRITE_MS * (0.3 + random()));
        await stop();
        found.push({ setting, findings: await compare(server, credentials, acked) });
      }
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
      detail: [`${found.length} settings of the clock, ${seen} acknowledged`, ...faults].join("; "),
    };
  } finally {
    const { folder: cluster } = clusterOf(server.dataDir);
    await stopServer(server);
    for (const path of [cluster, folder]) rmSync(path, { recursive: true, force: true });
  }
}

/** H5, clock: set back by an hour and a month, and forward by a year, while events come in. */
export const clockLines: Line[] = [
  needing(() => (existsSync(LIBRARY) ? null : `libfaketime is not at ${LIBRARY} (LIBFAKETIME says where)`), {
    id: "H5-clock",
    title: "the clock set back and forward while events come in",
    run: runUnderClock,
  }),
];
