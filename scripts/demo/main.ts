import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { programOf } from "@/scripts/program.mjs";
import { DEMO_ADMIN, DEMO_PASSWORD } from "./cast";
import { Client } from "./client";
import { seedDemo } from "./seed";

/** The demo lives in a data folder of its own, so that it never mixes with real records. */
const dataDir = resolve(process.env.TRAILMARK_DATA_DIR || ".trailmark/demo");
const base = `http://${process.env.HOST || "127.0.0.1"}:${process.env.PORT || "3000"}`;
const READY_TIMEOUT_MS = 120_000;
/** Machines that are online and answer live queries; quiet, so that the month's story stays in view. */
const SIMULATED = ["--devices", "6", "--rate", "0.05", "--seconds", "86400"];

const children: ChildProcess[] = [];
const say = (line: string) => process.stdout.write(`${line}\n`);

function start(file: string, args: string[], extra: Record<string, string>, output: "inherit" | "ignore" = "inherit") {
  const program = programOf(resolve("dist", file));
  const child = spawn(program.command, [...program.args, ...args], {
    stdio: output,
    env: { ...process.env, ...program.env, ...extra },
  });
  children.push(child);
  return child;
}

async function untilReady(server: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline && server.exitCode === null) {
    const ready = await fetch(`${base}/readyz`).then(
      (r) => r.ok,
      () => false,
    );
    if (ready) return;
    await sleep(200);
  }
  throw new Error("The server did not become ready.");
}

/** Agent first, so that the server it reports to is still there for its last batch. */
function stopAll(): void {
  for (const child of [...children].reverse()) child.kill("SIGTERM");
}

const server = start("server.mjs", [], {
  TRAILMARK_DATA_DIR: dataDir,
  TRUST_PROXY_HEADERS: "true", // the seed speaks for machines and people in many places
  TRAILMARK_ADMIN_EMAIL: DEMO_ADMIN.email,
  TRAILMARK_ADMIN_PASSWORD: DEMO_PASSWORD,
});
server.once("exit", (code) => {
  stopAll();
  process.exitCode = code ?? 1;
});
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stopAll);
/** The same keys at every start: they make the same simulated machines again. */
async function keptKeys(): Promise<string[]> {
  const file = join(dataDir, "enrollment-keys.json");
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  const keys = await seedDemo(new Client(base), say);
  writeFileSync(file, JSON.stringify(keys), { mode: 0o600 });
  return keys;
}

await untilReady(server);
say("  Preparing the demo");
const [own = "", ...others] = await keptKeys();
const to = (key: string) => ["--url", base, "--enrollment-key", key];
start("agent.mjs", [...to(own), "--state-dir", join(dataDir, "agent"), "--interval", "15"], {});
for (const [n, key] of [own, ...others].entries()) {
  const state = ["--state-dir", join(dataDir, `simulated-${n + 1}`)];
  start("agent.mjs", ["simulate", ...to(key), ...SIMULATED, ...state], {}, "ignore");
}
say(`\n  Demo ready at ${base}\n  Sign in as ${DEMO_ADMIN.email} with the password ${DEMO_PASSWORD}\n`);
