import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { prepare } from "@/bench/torture/api";
import { compareAt, wrongIn } from "@/bench/torture/compare";
import { nothingYet, startLoad, tallied } from "@/bench/torture/load";
import { listed } from "@/bench/torture/types";
import { stackOf } from "@/db/thrown";
import { ADMIN } from "@/testing/server";
import { Cluster } from "./cluster";
import { PORTS, superUrl } from "./layout";
import { missingPackages } from "./programs";
import { Gaps, killOne, VICTIMS } from "./rounds";

/**
 * `npm run cluster [-- --rounds N | --full | --stay] [--only PART]`: three server processes behind a proxy and a
 * pooler, PostgreSQL with a replica, all on loopback; kills each part in turn under load, then compares acknowledged
 * with stored events. `--stay` only starts it, until Ctrl-C. Exits nonzero if anything was lost or took too long.
 */

const WRITERS = 6;
const args = process.argv.slice(2);
const roundsAt = args.indexOf("--rounds");
const rounds = roundsAt >= 0 ? Number(args[roundsAt + 1]) : args.includes("--full") ? 20 : 2;

const onlyAt = args.indexOf("--only");
const victims = onlyAt >= 0 ? VICTIMS.filter(({ name }) => name.endsWith(args[onlyAt + 1] ?? "")) : VICTIMS;

const say = (line: string) => process.stdout.write(`${line}\n`);
const base = `http://127.0.0.1:${PORTS.http}`;

async function stay(): Promise<void> {
  say(`\n  The cluster is at ${base}, as ${ADMIN.email} with the password "${ADMIN.password}". Ctrl-C ends it.`);
  await new Promise(() => setInterval(() => {}, 60_000));
}

/** @returns whether nothing was lost and every caller got an answer in time. */
async function killInTurn(cluster: Cluster): Promise<boolean> {
  const credentials = await prepare({ base });
  const acked = nothingYet();
  const gaps = new Gaps(acked);
  const stop = startLoad({ base }, { credentials, acked }, WRITERS);
  await sleep(2_000);
  const longest = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++)
    for (const victim of victims) {
      const { longestMs, failures } = await killOne({ cluster, victim, round, gaps });
      longest.set(victim.name, [...(longest.get(victim.name) ?? []), longestMs]);
      const seen = [...failures].map(([what, times]) => `${what} × ${times}`).join(", ") || "no error";
      say(
        `round ${round + 1}, ${victim.name}: ${(longestMs / 1000).toFixed(1)} s without success, ${seen}, load ${loadavg()[0]?.toFixed(0)}`,
      );
    }
  await stop();
  const bases = PORTS.servers.map((port) => `http://127.0.0.1:${port}`);
  const findings = await compareAt({ bases, url: superUrl(PORTS.primary) }, credentials, acked);
  say("\n| Killed | Times | Longest without an answer: median, worst | Limit |\n|---|---|---|---|");
  let late = 0;
  for (const { name, limitMs } of victims) {
    const all = (longest.get(name) ?? []).sort((a, b) => a - b);
    late += all.filter((ms) => ms > limitMs).length;
    const seconds = (ms = 0) => `${(ms / 1000).toFixed(1)} s`;
    say(`| ${name} | ${all.length} | ${seconds(all[all.length >> 1])}, ${seconds(all.at(-1))} | ${limitMs / 1000} s |`);
  }
  say(`\n${listed(findings)}`);
  say(`answers: ${tallied(acked.answers)}; without an answer: ${acked.refused}; longer than the limit: ${late}`);
  // A 502 comes from the proxy when a process dies during an answer.
  const faults = acked.answers.get(500) ?? 0;
  return findings.acknowledged > 0 && wrongIn(findings) + late + faults === 0;
}

const missing = missingPackages();
if (missing.length > 0) {
  say(`The cluster needs programs that are not installed here: apt-get install ${missing.join(" ")}`);
  process.exit(2);
}
const cluster = new Cluster();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void cluster.stop({ keepLogs: false }).finally(() => process.exit(130)));
let ok = false;
try {
  await cluster.start(say);
  if (args.includes("--stay")) await stay();
  else ok = await killInTurn(cluster);
} catch (error) {
  say(`${stackOf(error)}`);
} finally {
  await cluster.stop({ keepLogs: !ok });
}
process.exit(ok ? 0 : 1);
