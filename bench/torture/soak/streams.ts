import { randomUUID } from "node:crypto";
import { setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ask,
  type Credentials,
  createEnrollmentKey,
  createEvents,
  json,
  postEvents,
  prepare,
  signIn,
} from "@/bench/torture/api";
import { withServer } from "@/bench/torture/folder";
import type { Input, Line } from "@/bench/torture/line";
import { simulateAgents } from "@/bench/torture/product";
import { repeatedly } from "@/bench/until";
import type { Server } from "@/testing/server";
import { tempFolder } from "@/testing/temp-folder";
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

/** Agents of one organization, and the folder of their tokens. */
type Fleet = { enrollmentKey: string; stateDir: string };

/** A thousand agents of an organization, with streams, heartbeats and their share of events. */
function simulate(server: Server, { enrollmentKey, stateDir }: Fleet, seconds: number) {
  const figures = { devices: AGENTS_EACH, interval: SHIP_EVERY_S, events: Math.round(EVENTS_PER_REQUEST), seconds };
  const simulation = simulateAgents(server, enrollmentKey, { ...figures, "state-dir": stateDir });
  if (simulation.child.pid) setPriority(simulation.child.pid, SIMULATION_NICE);
  return simulation;
}

type Simulation = ReturnType<typeof simulate>;

type Tails = { open: () => number; entries: () => number; end: () => void };

/** Live views of some people, reopened when they end. */
async function openTails(server: Server, { orgId, accessToken }: { orgId: string; accessToken: string }) {
  const ending = new AbortController();
  const { signal } = ending;
  let [open, entries] = [0, 0];
  const follow = async (person: { email: string; password: string }) => {
    while (!signal.aborted) {
      const input = encodeURIComponent(JSON.stringify({ orgId }));
      const answer = await ask(server, `/api/trpc/audit.tail?input=${input}`, {
        token: await signIn(server, person),
        signal,
      });
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
  const keepFollowing = async (person: { email: string; password: string }) => {
    while (!signal.aborted) await follow(person).catch(() => sleep(REOPEN_MS, undefined, { signal }).catch(() => {}));
  };
  for (let n = 0; n < TAILS / TAILS_EACH; n++) {
    const person = { email: `${randomUUID()}@trailmark.example`, password: "correct horse battery" };
    const body = { ...person, name: "Viewer", role: "org_viewer", orgId };
    await json(server, "/users", { token: accessToken, body });
    for (let i = 0; i < TAILS_EACH; i++) void keepFollowing(person);
  }
  const tails: Tails = { open: () => open, entries: () => entries, end: () => ending.abort() };
  return tails;
}

/** A client that submits an event every tenth of a second. @returns durations (ms), refusals as infinite */
function startPosting(server: Server, credentials: Credentials): () => Promise<number[]> {
  const times: number[] = [];
  const stop = repeatedly(async () => {
    const started = performance.now();
    const isTaken = await postEvents(server, credentials, createEvents(1)).then(
      (answer) => answer.arrayBuffer().then(() => answer.status === 202),
      () => false,
    );
    times.push(isTaken ? performance.now() - started : Number.POSITIVE_INFINITY);
  }, POST_EVERY_MS);
  return () => stop().then(() => times.sort((a, b) => a - b));
}

/** Errors of the agents, by kind of request and answer. */
const errorsOf = (simulations: Simulation[]): string[] =>
  simulations.flatMap(({ output }) => output().match(/^(?:errors|held back).*$/gm) ?? []);

const storedBy = (simulations: Simulation[]): number =>
  simulations.reduce((sum, { output }) => sum + Number(/events stored: (\d+)/.exec(output())?.[1] ?? 0), 0);

/** Enrolls all before any sends: a server enrolls six hundred a minute from one address. */
async function enrol(server: Server, folder: string, progress: Input["progress"]): Promise<Fleet[]> {
  const fleets: Fleet[] = [];
  for (let i = 0; i < PROGRAMS; i++) {
    progress(`enrolling ${i * AGENTS_EACH} to ${(i + 1) * AGENTS_EACH}`);
    const enrollmentKey = await createEnrollmentKey(server, await prepare(server));
    const fleet = { enrollmentKey, stateDir: join(folder, String(i)) };
    const simulation = simulate(server, fleet, 1);
    await simulation.listening;
    await simulation.ended;
    fleets.push(fleet);
  }
  return fleets;
}

/** Z2: a large installation's agents, viewers and events on one server. */
export const largeFleet: Line = {
  id: "Z2",
  title: "6,000 agents' streams and heartbeats, 200 live views, 2,000 events/s",
  ...{ quick: 1, full: 1, slow: true },
  run: ({ minutes, progress }, found) =>
    withServer(async (server) => {
      const writer = await prepare(server);
      const simulations: Simulation[] = [];
      try {
        const fleets = await enrol(server, tempFolder(), progress);
        const { accessToken } = await prepare(server);
        const tails = await openTails(server, { orgId: writer.orgId, accessToken });
        for (const fleet of fleets) simulations.push(simulate(server, fleet, minutes * 60));
        progress("opening 6,000 streams");
        await Promise.all(simulations.map(({ listening }) => listening));
        const stopPosting = startPosting(server, writer);
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
        const [first, last] = [held[Math.floor(held.length / 4)], held.at(-1)];
        found.tried = times.length;
        found.note(
          `${PROGRAMS * AGENTS_EACH} agents, ${open} live views which were shown ${entries} entries, ${rate} events/s, ${minutes} minutes`,
          `a post p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; ${first?.mb} MB and ${first?.handles} handles after a quarter, ${last?.mb} MB and ${last?.handles} at the end`,
          ...errorsOf(simulations),
        );
        if (at(0.99) > MAX_P99_MS) found.fault(`p99 of a post ${at(0.99)} ms`);
        if (rate < EVENTS_PER_SECOND * 0.95) found.fault(`${rate} events/s instead of ${EVENTS_PER_SECOND}`);
        if (open < TAILS) found.fault(`${open} of ${TAILS} live views open at the end, ${most} at most`);
        found.faults(growth(first, last));
      } finally {
        for (const { child } of simulations) child.kill("SIGTERM");
      }
    }),
};
