import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withServer } from "@/bench/torture/folder";
import { json, prepare } from "@/bench/torture/load";
import type { Line, LineInput, Outcome } from "@/bench/torture/types";
import type { Server } from "@/testing/server";
import { growth, type Held, heldBy } from "./flat";

/** Programs for simulated agents: each simulates a thousand at once. */
const PROGRAMS = 6;
const AGENTS_EACH = 1_000;
/** Simulated machines must not take the server's CPU. */
const SIMULATION_NICE = 10;
const EVENTS_PER_SECOND = 2_000;
/** Default shipping interval of an agent. */
const SHIP_EVERY_S = 120;
const EVENTS_PER_REQUEST = (EVENTS_PER_SECOND * SHIP_EVERY_S) / (PROGRAMS * AGENTS_EACH);
const TAILS = 200;
/** Concurrent live views allowed per person. */
const TAILS_EACH = 5;
const MAX_P99_MS = 250;
const POST_EVERY_MS = 100;
const SAMPLE_EVERY_MS = 10_000;
const REOPEN_MS = 1_000;

type Simulation = { child: ChildProcess; output: () => string; listening: Promise<void>; ended: Promise<unknown> };
/** Agents of one organization, and the folder of their tokens. */
type Fleet = { enrollmentKey: string; stateDir: string };

/** A thousand agents of an organization, with streams, heartbeats and their share of events. */
function simulate({ base }: Server, { enrollmentKey, stateDir }: Fleet, seconds: number): Simulation {
  const figures = { devices: AGENTS_EACH, interval: SHIP_EVERY_S, events: EVENTS_PER_REQUEST, seconds };
  const options = Object.entries(figures).flatMap(([name, value]) => [`--${name}`, String(Math.round(value))]);
  const args = ["simulate", "--url", base, "--enrollment-key", enrollmentKey, "--state-dir", stateDir, ...options];
  const child = spawn(process.execPath, [join("dist", "agent.mjs"), ...args], { stdio: ["ignore", "pipe", "pipe"] });
  if (child.pid) setPriority(child.pid, SIMULATION_NICE);
  let output = "";
  const listening = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (output.includes("listening")) resolve();
      });
    child.once("exit", () => reject(new Error(`the simulation ended early: ${output}`)));
  });
  return { child, output: () => output, listening, ended: once(child, "close") };
}

type Tails = { open: () => number; entries: () => number; end: () => void };

/** Live views of some people, reopened when they end. */
async function openTails({ base }: Server, { orgId, accessToken }: { orgId: string; accessToken: string }) {
  const ending = new AbortController();
  let [open, entries] = [0, 0];
  const follow = async (signInAgain: () => Promise<string>) => {
    while (!ending.signal.aborted) {
      const input = encodeURIComponent(JSON.stringify({ orgId }));
      const headers = { Authorization: `Bearer ${await signInAgain()}` };
      const answer = await fetch(`${base}/api/trpc/audit.tail?input=${input}`, { headers, signal: ending.signal });
      if (!answer.ok || !answer.body) throw new Error(`a live view: ${answer.status} ${await answer.text()}`);
      open++;
      try {
        for await (const chunk of answer.body)
          entries += Buffer.from(chunk).toString("utf8").split('"chainSeq"').length - 1;
      } finally {
        open--;
      }
    }
  };
  /** Retries a view that could not be opened, as a browser does. */
  const keepFollowing = async (signInAgain: () => Promise<string>) => {
    while (!ending.signal.aborted)
      await follow(signInAgain).catch(() => sleep(REOPEN_MS, undefined, { signal: ending.signal }).catch(() => {}));
  };
  const views: Promise<void>[] = [];
  for (let person = 0; person < TAILS / TAILS_EACH; person++) {
    const [email, password] = [`${randomUUID()}@trailmark.example`, "correct horse battery"];
    const body = { email, password, name: "Viewer", role: "org_viewer", orgId };
    await json(base, { method: "POST", path: "/users", token: accessToken, body });
    const signInAgain = async () =>
      (
        await json<{ accessToken: string }>(base, {
          method: "POST",
          path: "/auth/token",
          token: null,
          body: { email, password },
        })
      ).accessToken;
    for (let i = 0; i < TAILS_EACH; i++) views.push(keepFollowing(signInAgain));
  }
  const tails: Tails = { open: () => open, entries: () => entries, end: () => ending.abort() };
  return tails;
}

/** A client that submits an event every tenth of a second. @returns durations (ms), refusals as infinite */
function startPosting({ base }: Server, key: string): () => Promise<number[]> {
  const times: number[] = [];
  let stop = false;
  const running = (async () => {
    while (!stop) {
      const event = {
        actorType: "system",
        actorId: "torture",
        action: "device.update",
        resourceType: "device",
        result: "success",
      };
      const started = performance.now();
      const isTaken = await fetch(`${base}/api/v1/audit-logs/events`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ events: [event] }),
      }).then(
        (answer) => answer.arrayBuffer().then(() => answer.status === 202),
        () => false,
      );
      times.push(isTaken ? performance.now() - started : Number.POSITIVE_INFINITY);
      await sleep(POST_EVERY_MS);
    }
  })();
  return async () => {
    stop = true;
    await running;
    return times.sort((a, b) => a - b);
  };
}

/** Agents' errors, by kind of request and answer. */
const errorsOf = (simulations: Simulation[]): string[] =>
  simulations.flatMap(({ output }) => output().match(/^(?:errors|held back).*$/gm) ?? []);

const storedBy = (simulations: Simulation[]): number =>
  simulations.reduce((sum, { output }) => sum + Number(/events stored: (\d+)/.exec(output())?.[1] ?? 0), 0);

/** Enrolls all before any sends: a server enrolls six hundred a minute from one address. */
async function enrol(server: Server, folder: string, progress: LineInput["progress"]): Promise<Fleet[]> {
  const fleets: Fleet[] = [];
  for (let i = 0; i < PROGRAMS; i++) {
    progress(`enrolling ${i * AGENTS_EACH} to ${(i + 1) * AGENTS_EACH}`);
    const { orgId, accessToken: token } = await prepare(server.base);
    const created = await json<{ key: string }>(server.base, {
      method: "POST",
      path: "/enrollment-keys",
      token,
      body: { orgId },
    });
    const fleet = { enrollmentKey: created.key, stateDir: join(folder, String(i)) };
    const simulation = simulate(server, fleet, 1);
    await simulation.listening;
    await simulation.ended;
    fleets.push(fleet);
  }
  return fleets;
}

async function run({ minutes, progress }: LineInput): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "trailmark-agents-"));
  return withServer(async (server) => {
    const writer = await prepare(server.base);
    const simulations: Simulation[] = [];
    try {
      const fleets = await enrol(server, folder, progress);
      const { accessToken } = await prepare(server.base);
      const tails = await openTails(server, { orgId: writer.orgId, accessToken });
      for (const fleet of fleets) simulations.push(simulate(server, fleet, minutes * 60));
      progress("opening 6,000 streams");
      await Promise.all(simulations.map(({ listening }) => listening));
      const stopPosting = startPosting(server, writer.key);
      const held: Held[] = [];
      let most = 0;
      const sampling = setInterval(() => {
        held.push(heldBy(server));
        most = Math.max(most, tails.open());
      }, SAMPLE_EVERY_MS);
      progress("all of it");
      await Promise.all(simulations.map(({ ended }) => ended));
      clearInterval(sampling);
      const times = await stopPosting();
      const [open, entries] = [tails.open(), tails.entries()];
      tails.end();
      const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? Number.POSITIVE_INFINITY);
      const rate = Math.round(storedBy(simulations) / (minutes * 60));
      const faults = [
        ...(at(0.99) > MAX_P99_MS ? [`p99 of a post ${at(0.99)} ms`] : []),
        ...(rate < EVENTS_PER_SECOND * 0.95 ? [`${rate} events/s instead of ${EVENTS_PER_SECOND}`] : []),
        ...(open < TAILS ? [`${open} of ${TAILS} live views open at the end, ${most} at most`] : []),
        ...growth(held[Math.floor(held.length / 4)], held.at(-1)),
      ];
      const [first, last] = [held[Math.floor(held.length / 4)], held.at(-1)];
      return {
        tried: times.length,
        failed: times.length === 0 ? 1 : faults.length,
        detail: [
          `${PROGRAMS * AGENTS_EACH} agents, ${open} live views which were shown ${entries} entries, ${rate} events/s, ${minutes} minutes`,
          `a post p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; ${first?.mb} MB and ${first?.handles} handles after a quarter, ${last?.mb} MB and ${last?.handles} at the end`,
          ...errorsOf(simulations),
          ...faults,
        ].join("; "),
      };
    } finally {
      for (const { child } of simulations) child.kill("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** Z2: a large installation's agents, viewers and events on one server. */
export const streamsLine: Line = {
  id: "Z2",
  title: "6,000 agents' streams and heartbeats, 200 live views, 2,000 events/s",
  run,
};
