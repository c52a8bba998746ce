import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { holdsInTime } from "@/bench/until";
import { killServer, type Server } from "@/testing/server";
import { asOwner } from "@/testing/streams/archive-day";
import { answerOf, type Credentials, createEvent, json, postEvents, prepare, signIn } from "./api";
import { untilWritten } from "./compare";
import { withOwner, withOwnServer } from "./folder";
import { type Line, listed } from "./line";

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
function nextEvent(cases: Case[], random: () => number, opens: boolean): ReturnType<typeof createEvent> | null {
  const open = cases.filter(remaining);
  if (opens && open.length < OPEN_CASES) cases.push({ id: randomUUID(), events: [] });
  const candidates = cases.filter(remaining);
  const one = candidates[Math.floor(random() * candidates.length)];
  if (!one) return null;
  const event = createEvent({ details: { case: one.id } });
  one.events.push(event.id);
  return event;
}

/** Sends events one by one, each until acknowledged: its id makes it one entry. */
async function write({ server, credentials, cases }: World, random: () => number, until: () => boolean): Promise<void> {
  for (;;) {
    const event = nextEvent(cases, random, !until());
    if (!event) return;
    for (let isStored = false; !isStored; ) {
      const response = await answerOf(() => postEvents(server, credentials, [event])).catch(() => null);
      isStored = response?.ok ?? false;
      await response?.arrayBuffer();
      if (!isStored) await sleep(100);
    }
  }
}

type Alert = { id: string; entries: number[]; entryCount: number; group: { value: string }[] };
type Page = { data: Alert[]; pagination: { total: number } };

async function alertsOf({ server, credentials: { orgId } }: World): Promise<Alert[]> {
  const token = await signIn(server);
  const found: Alert[] = [];
  for (let page = 1; ; page++) {
    const path = `/detections/alerts?orgId=${orgId}&limit=100&page=${page}`;
    const { data, pagination } = await json<Page>(server, path, { token });
    found.push(...data);
    if (data.length === 0 || found.length >= pagination.total) return found;
  }
}

/** Waits until all entries are counted, and checks for repeated counting. */
async function settled(world: World): Promise<Alert[]> {
  await untilWritten(world.server);
  const expected = world.cases.length * PER_CASE;
  const isCounted = async () =>
    (await alertsOf(world)).reduce((sum, { entryCount }) => sum + entryCount, 0) >= expected;
  await holdsInTime(isCounted, { ms: EVALUATED_MS, pauseMs: 500 });
  await sleep(3_000);
  await untilWritten(world.server);
  return alertsOf(world);
}

/** Every case has one alert with all its entries, and the alert one entry in the log. */
async function compareWith(world: World) {
  const alerts = await settled(world);
  const { orgId } = world.credentials;
  const rows = await withOwner(
    world.server,
    (sql) => sql<{ seq: number; action: string; id: string; case: string | null }[]>`
      SELECT chain_seq::float8 AS seq, action, id, details ->> 'case' AS case FROM audit_logs WHERE org_id = ${orgId}`,
  );
  const recorded = rows.filter(({ action }) => action === "detection.alert.raise").map(({ id }) => id);
  const found = { cases: world.cases.length, alerts: alerts.length, lost: 0, doubled: 0, wrong: 0, unrecorded: 0 };
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
const rewind = (server: Server) =>
  withOwner(server, (sql) =>
    asOwner(
      sql,
      "detection_positions",
      () => sql`UPDATE detection_positions SET through_seq = greatest(0, through_seq - 20)`,
    ),
  );

/** DT1: wherever a kill hits, each case has one alert with its entries, counted once. */
export const ruleKills: Line = {
  id: "DT1",
  title: "kill -9 of the server while entries raise alerts",
  ...{ quick: 2, full: 20 },
  control: { title: "rules that forget their position must count entries twice", quick: 1, full: 3, slow: true },
  run: ({ rounds, random, isBroken }, found) =>
    withOwnServer(async (server) => {
      const credentials = await prepare(server);
      const { accessToken: token, orgId } = credentials;
      await json(server, "/detections/rules", { token, body: { yaml: RULE, orgId } });
      const world: World = { server, credentials, cases: [] };
      let isOver = false;
      const writers = Array.from({ length: WRITERS }, () => write(world, random, () => isOver));
      for (let round = 0; round < rounds; round++) {
        await sleep(2_000 + random() * 2_000);
        await killServer(server);
        await server.start();
        if (isBroken) await rewind(server);
      }
      isOver = true;
      await Promise.all(writers);
      const { cases, alerts, ...faults } = await compareWith(world);
      found.tried = cases;
      found.caught = faults.wrong + faults.doubled;
      found.note(listed({ cases, alerts, ...faults }));
      for (const [kind, count] of Object.entries(faults)) found.fault(kind, count);
    }),
};
