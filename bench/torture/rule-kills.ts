import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { killServer, type Server, startServer, stopServer } from "@/testing/server";
import { untilWritten } from "./compare";
import { ownerOf } from "./folder";
import { withFolder } from "./kills";
import { answerOf, type Credentials, json, prepare, signIn } from "./load";
import type { Line, LineInput, Outcome } from "./types";

const WRITERS = 4;
/** Entries of a case: the third starts an alert, which later ones join. */
const PER_CASE = 5;
/** Concurrent cases, so that a kill finds each in another state. */
const OPEN_CASES = 12;
const EVALUATED_MS = 90_000;
const RULE = `name: step
logsource: {product: trailmark}
detection: {s: {action: device.update}, condition: s}
---
title: Case
correlation: {type: event_count, rules: [step], group-by: [details.case], timespan: 1h, condition: {gte: 3}}
`;

type Case = { id: string; events: string[] };
type World = { server: Server; credentials: Credentials; cases: Case[] };

const remaining = ({ events }: Case): boolean => events.length < PER_CASE;

/** Next event of an open case, or of a new one. */
function nextEvent(cases: Case[], random: () => number, opens: boolean): { caseId: string; id: string } | null {
  const open = cases.filter(remaining);
  if (opens && open.length < OPEN_CASES) cases.push({ id: randomUUID(), events: [] });
  const candidates = cases.filter(remaining);
  const one = candidates[Math.floor(random() * candidates.length)];
  if (!one) return null;
  const id = randomUUID();
  one.events.push(id);
  return { caseId: one.id, id };
}

/** Sends events one by one, each until acknowledged: its id makes it one entry. */
async function write({ server, credentials, cases }: World, random: () => number, until: () => boolean): Promise<void> {
  for (;;) {
    const next = nextEvent(cases, random, !until());
    if (!next) return;
    const event = {
      ...{ id: next.id, actorType: "system", actorId: "torture", action: "device.update", result: "success" },
      ...{ resourceType: "device", resourceName: "T", details: { case: next.caseId } },
    };
    const send = () =>
      fetch(`${server.base}/api/v1/audit-logs/events`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${credentials.key}` },
        body: JSON.stringify({ events: [event] }),
        signal: AbortSignal.timeout(15_000),
      });
    for (let isStored = false; !isStored; ) {
      const response = await answerOf(send).catch(() => null);
      isStored = response?.ok ?? false;
      await response?.arrayBuffer();
      if (!isStored) await sleep(100);
    }
  }
}

type Alert = { id: string; entries: number[]; entryCount: number; group: { value: string }[] };
type Page = { data: Alert[]; pagination: { total: number } };

async function alertsOf({ server, credentials: { orgId } }: World): Promise<Alert[]> {
  const token = await signIn(server.base);
  const found: Alert[] = [];
  for (let page = 1; ; page++) {
    const path = `/detections/alerts?orgId=${orgId}&limit=100&page=${page}`;
    const { data, pagination } = await json<Page>(server.base, { method: "GET", path, token });
    found.push(...data);
    if (data.length === 0 || found.length >= pagination.total) return found;
  }
}

/** Waits until all entries are counted, and checks for repeated counting. */
async function settled(world: World): Promise<Alert[]> {
  await untilWritten(world.server.base);
  const expected = world.cases.length * PER_CASE;
  const counted = (alerts: Alert[]) => alerts.reduce((sum, { entryCount }) => sum + entryCount, 0);
  let alerts = await alertsOf(world);
  for (const end = Date.now() + EVALUATED_MS; counted(alerts) < expected && Date.now() < end; ) {
    await sleep(500);
    alerts = await alertsOf(world);
  }
  await sleep(3_000);
  await untilWritten(world.server.base);
  return alertsOf(world);
}

type Found = { cases: number; alerts: number; lost: number; doubled: number; wrong: number; unrecorded: number };

/** Every case has one alert with all its entries, and the alert one entry in the log. */
async function compareWith(world: World): Promise<Found> {
  const alerts = await settled(world);
  const sql = ownerOf(world.server);
  const { orgId } = world.credentials;
  const rows = await sql<{ seq: number; action: string; id: string; case: string | null }[]>`
    SELECT chain_seq::float8 AS seq, action, id, details ->> 'case' AS case FROM audit_logs WHERE org_id = ${orgId}`;
  await sql.end();
  const recorded = rows.filter(({ action }) => action === "detection.alert.raise").map(({ id }) => id);
  const found: Found = {
    cases: world.cases.length,
    alerts: alerts.length,
    lost: 0,
    doubled: 0,
    wrong: 0,
    unrecorded: 0,
  };
  for (const { id } of world.cases) {
    const own = alerts.filter(({ group }) => group[0]?.value === id);
    const seqs = rows.filter((row) => row.case === id).map(({ seq }) => seq);
    if (own.length === 0) found.lost++;
    found.doubled += Math.max(0, own.length - 1);
    for (const { entries, entryCount, id: alertId } of own) {
      const isWhole =
        entryCount === PER_CASE && entries.length === PER_CASE && seqs.every((seq) => entries.includes(seq));
      if (!isWhole) found.wrong++;
      if (recorded.filter((one) => one === alertId).length !== 1) found.unrecorded++;
    }
  }
  return found;
}

/** Makes rules reread entries, like a product that stores position and state separately. */
async function rewind(server: Server): Promise<void> {
  const sql = ownerOf(server);
  try {
    await sql`ALTER TABLE detection_positions NO FORCE ROW LEVEL SECURITY`;
    await sql`UPDATE detection_positions SET through_seq = greatest(0, through_seq - 20)`;
    await sql`ALTER TABLE detection_positions FORCE ROW LEVEL SECURITY`;
  } finally {
    await sql.end();
  }
}

const run = ({ rounds, random }: LineInput, rewinds: boolean): Promise<Found> =>
  withFolder(async (dataDir, port) => {
    const server = await startServer({ dataDir, port });
    const credentials = await prepare(server.base);
    const { accessToken: token, orgId } = credentials;
    await json(server.base, { method: "POST", path: "/detections/rules", token, body: { yaml: RULE, orgId } });
    const world: World = { server, credentials, cases: [] };
    let isOver = false;
    const writers = Array.from({ length: WRITERS }, () => write(world, random, () => isOver));
    for (let round = 0; round < rounds; round++) {
      await sleep(2_000 + random() * 2_000);
      await killServer(world.server);
      world.server = await startServer({ dataDir, port });
      if (rewinds) await rewind(world.server);
    }
    isOver = true;
    await Promise.all(writers);
    const found = await compareWith(world);
    await stopServer(world.server);
    return found;
  });

const toOutcome = (found: Found, failed: number): Outcome => ({
  tried: found.cases,
  failed,
  detail: Object.entries(found)
    .map(([name, figure]) => `${name} ${figure}`)
    .join(", "),
});

/** DT1: wherever a kill hits, each case has one alert with its entries, counted once. */
export const ruleKillLine: Line = {
  id: "DT1",
  title: "kill -9 of the server while entries raise alerts",
  run: async (input) => {
    const found = await run(input, false);
    const { cases, lost, doubled, wrong, unrecorded } = found;
    return toOutcome(found, cases === 0 ? 1 : lost + doubled + wrong + unrecorded);
  },
};

/** The control: rules that reread after a kill must be caught counting twice. */
export const rereadLine: Line = {
  id: "DT1-control",
  title: "control: rules that forget their position must count entries twice",
  run: async (input) => {
    const found = await run(input, true);
    return toOutcome(found, found.wrong + found.doubled > 0 ? 0 : 1);
  },
};
