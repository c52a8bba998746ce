import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { programOf } from "@/scripts/program.mjs";
import { DEMO_ADMIN, DEMO_PASSWORD } from "@/testing/world/cast";
import { createRandom } from "@/testing/world/random";
import { Client } from "./client";
import { clockFrom, MONTH_MS, turnBack } from "./clock";
import { keepReporting, type Machine, reportOnce } from "./device-records";
import { beginDemo, newKeys, signInPeople, submitMonth, tellMonth } from "./seed";

/** Its own data folder, so that the demo never mixes with real records. */
const dataDir = resolve(process.env.TRAILMARK_DATA_DIR || ".trailmark/demo");
const base = `http://${process.env.HOST || "127.0.0.1"}:${process.env.PORT || "3000"}`;
const READY_TIMEOUT_MS = 120_000;
const A_DAY_SECONDS = 86_400;

const children: ChildProcess[] = [];
const say = (line: string) => process.stdout.write(`${line}\n`);

type Options = { env?: Record<string, string>; stdio?: "inherit" | "ignore" };

function start(file: string, args: string[], { env, stdio = "inherit" }: Options = {}) {
  const program = programOf(resolve("dist", file));
  const child = spawn(program.command, [...program.args, ...args], {
    stdio,
    env: { ...process.env, ...program.env, ...env },
  });
  children.push(child);
  return child;
}

const exited = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function untilReady(server: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline && !exited(server)) {
    const ready = await fetch(`${base}/readyz`).then(
      (r) => r.ok,
      () => false,
    );
    if (ready) return;
    await sleep(200);
  }
  throw new Error("The server did not become ready.");
}

/** Agent first, so that the server still accepts its last batch. */
function stopAll(): void {
  for (const child of [...children].reverse()) child.kill("SIGTERM");
}

const startServer = (extra: Record<string, string> = {}) =>
  start("server.mjs", [], {
    env: {
      TRAILMARK_DATA_DIR: dataDir,
      TRUST_PROXY_HEADERS: "true", // The seed acts as many machines and people.
      TRAILMARK_ADMIN_EMAIL: DEMO_ADMIN.email,
      TRAILMARK_ADMIN_PASSWORD: DEMO_PASSWORD,
      ...extra,
    },
  });

const to = (key: string) => ["--url", base, "--enrollment-key", key];

/** Simulated machines that are online and answer live queries; quiet, to keep the month's story visible. */
function simulate(keys: string[], seconds: number, env?: Record<string, string>): ChildProcess[] {
  const quietly = ["--devices", "6", "--rate", "0.05", "--seconds", String(seconds)];
  return keys.map((key, n) => {
    const state = ["--state-dir", join(dataDir, `simulated-${n + 1}`)];
    return start("agent.mjs", ["simulate", ...to(key), ...quietly, ...state], { env, stdio: "ignore" });
  });
}

/**
 * Exists until the whole month is written: an interrupted start has organizations and people but hardly any entries.
 */
const unfinished = join(dataDir, "demo-unfinished");

function refuseUnfinished(): void {
  if (!existsSync(unfinished)) return;
  process.stderr.write(
    `\n  An earlier start did not finish the demo in ${dataDir}.\n  Unless one is still running, delete that folder and start again.\n\n`,
  );
  process.exit(1);
}

/** Creates the month's start on a separate server with its clock set back, which ends before the demo's own starts. */
async function begin() {
  mkdirSync(dataDir, { recursive: true });
  const clock = join(dataDir, "clock");
  turnBack(clock, MONTH_MS);
  const then = clockFrom(clock);
  // Background work must use the present.
  const server = startServer({ ...then, WORKERS: "off" });
  await untilReady(server);
  const beginning = await beginDemo(new Client(base), { log: say, onEmpty: () => writeFileSync(unfinished, "") });
  const month = beginning && tellMonth(beginning);
  if (beginning && month) {
    await Promise.all(simulate(beginning.enrollmentKeys, 1, then).map(ended));
    await signInPeople(new Client(base), month, (at) => turnBack(clock, Date.now() - at));
  }
  server.kill("SIGTERM");
  await ended(server);
  rmSync(clock);
  return beginning && month && { ...beginning, month };
}

const ended = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (exited(child)) resolve();
    child.once("exit", () => resolve());
  });

for (const signal of ["SIGTERM", "SIGINT", "exit"] as const) process.on(signal, stopAll);
/** Keys are kept, so that the same simulated machines return. */
const file = join(dataDir, "enrollment-keys.json");
/** Machines of the cast, which report while the demo runs. */
const machinesFile = join(dataDir, "machines.json");
refuseUnfinished();
const isNew = !existsSync(file);
if (isNew) say("  Preparing the demo");
const beginning = isNew ? await begin() : null;

const server = startServer();
server.once("exit", (code) => {
  stopAll();
  process.exitCode = code ?? 1;
});
await untilReady(server);
if (beginning) await submitMonth(new Client(base), beginning, say);
if (isNew) {
  const keys = beginning?.enrollmentKeys ?? (await newKeys(new Client(base)));
  writeFileSync(file, JSON.stringify(keys), { mode: 0o600 });
  const machines = beginning?.devices.map(({ agentId, ip }) => ({
    agentId,
    ip,
    token: beginning.tokens.get(agentId) ?? "",
  }));
  writeFileSync(machinesFile, JSON.stringify(machines ?? []), { mode: 0o600 });
  rmSync(unfinished, { force: true });
}
const keys: string[] = JSON.parse(readFileSync(file, "utf8"));
start("agent.mjs", [...to(keys[0] ?? ""), "--state-dir", join(dataDir, "agent"), "--interval", "15"]);
simulate(keys, A_DAY_SECONDS);
const machines: Machine[] = existsSync(machinesFile) ? JSON.parse(readFileSync(machinesFile, "utf8")) : [];
const random = createRandom(Date.now());
await reportOnce(new Client(base), machines, random);
void keepReporting(new Client(base), machines, random);
say(`\n  Demo ready at ${base}\n  Sign in as ${DEMO_ADMIN.email} with the password ${DEMO_PASSWORD}\n`);
