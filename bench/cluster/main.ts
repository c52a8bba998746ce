import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { prepare } from "@/bench/torture/api";
import { judgeAt } from "@/bench/torture/compare";
import { Found } from "@/bench/torture/line";
import { Load } from "@/bench/torture/load";
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

/** Kills in turn, and times without an answer by victim. */
async function killAll(cluster: Cluster, load: Load): Promise<Map<string, number[]>> {
  const gaps = new Gaps(load);
  const longest = new Map<string, number[]>(victims.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const victim of victims) {
      const { longestMs, failures } = await killOne({ cluster, victim, round, gaps });
      longest.get(victim.name)?.push(longestMs);
      const seen = [...failures].map(([what, times]) => `${what} × ${times}`).join(", ") || "no error";
      say(
        `round ${round + 1}, ${victim.name}: ${(longestMs / 1000).toFixed(1)} s without success, ${seen}, load ${loadavg()[0]?.toFixed(0)}`,
      );
    }
  return longest;
}

/** @returns whether nothing was lost and every caller got an answer in time. */
async function killInTurn(cluster: Cluster): Promise<boolean> {
  const found = new Found();
  const load = new Load({ base }, await prepare({ base }), WRITERS);
  load.start();
  await sleep(2_000);
  const longest = await killAll(cluster, load);
  await load.stop();
  say("\n| Killed | Times | Longest without an answer: median, worst | Limit |\n|---|---|---|---|");
  for (const { name, limitMs } of victims) {
    const all = (longest.get(name) ?? []).sort((a, b) => a - b);
    found.fault(`${name}: longer than the limit`, all.filter((ms) => ms > limitMs).length);
    const seconds = (ms = 0) => `${(ms / 1000).toFixed(1)} s`;
    say(`| ${name} | ${all.length} | ${seconds(all[all.length >> 1])}, ${seconds(all.at(-1))} | ${limitMs / 1000} s |`);
  }
  // A 502 comes from the proxy when a process dies during an answer.
  found.fault("answered 500", load.answers.get(500) ?? 0);
  const bases = PORTS.servers.map((port) => `http://127.0.0.1:${port}`);
  found.tried = await judgeAt(found, { bases, url: superUrl(PORTS.primary) }, [load]);
  const { failed, detail } = found.outcome();
  say(`\n${detail}`);
  return failed === 0;
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
