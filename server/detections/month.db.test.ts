import { eq, inArray } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { detectionAlerts as a, auditLogs as l, detectionPositions as p, detectionRules as r } from "@/db/schema";
import { storyEvents } from "@/scripts/demo/story";
import type { Ctx } from "@/server/ground/context";
import type { Role } from "@/server/ground/permissions";
import { groupBy } from "@/server/ground/records";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";
import { appendEvents, type TestEvent } from "@/testing/audit-entries";
import { RULE_STORIES } from "@/testing/detections";
import { createOrg, createPartner, createUser, ctxFor, type TestPartner } from "@/testing/factories";
import { advanceIndex } from "@/testing/search/advance-index";
import { castIn, EVERYBODY } from "@/testing/world/cast";
import { createRandom, type Random } from "@/testing/world/random";
import { backtestRule } from "./backtest";
import { evaluateOrganization } from "./evaluate/run";
import { createRule, listRules, updateRule } from "./rules";
import { backtestInput, createRuleInput, type DetectionRule, ruleListInput, updateRuleInput } from "./schema";
import { SHIPPED_RULES } from "./shipped/rules";
import { seedShippedRules } from "./shipped/seed";

const SEED = 20261120;
/** What a step of the evaluation meets: single entries, parts of its batch, whole ones and more. */
const BATCHES = [1, 7, 300, 1_000, 1_700];

const LOGSOURCE = "logsource: {product: trailmark}";
const entries = (name: string, selection: string) =>
  `name: ${name}\n${LOGSOURCE}\ndetection: {s: ${selection}, condition: s}\n---\n`;
const correlated = (title: string, correlation: string) => `title: ${title}\ncorrelation: {${correlation}}\n`;
/** Rules of each kind that find something on every day, so that much is there to compare. */
const NOISY = [
  entries("a", "{actorType: user}") +
    correlated("Busy", "type: event_count, rules: [a], group-by: [user.id], timespan: 10m, condition: {gte: 5}"),
  entries("a", "{action|startswith: [script, device]}") +
    correlated("Wide", "type: value_count, rules: [a], timespan: 1h, condition: {field: device, gte: 6}"),
  entries("a", "{action: user.login}") +
    entries("b", "{action: script.execute, result: failure}") +
    correlated("Both", "type: temporal, rules: [a, b], group-by: [user.id], timespan: 2h"),
  `title: New\n${LOGSOURCE}\ndetection: {s: {firstSeen: address}, condition: s}\n`,
  `title: Refused\n${LOGSOURCE}\ndetection: {s: {result: denied}, condition: s}\n`,
];

let partner: TestPartner;
let admin: Ctx;
let orgIds: string[];
let storyOrgId: string;
let rules: DetectionRule[];
let raised: Awaited<ReturnType<typeof raisedLive>>;

/** The alarming story of every shipped rule, each told by people of its own on a day of its own. */
async function stories(random: Random, end: number): Promise<TestEvent[]> {
  const events: TestEvent[] = [];
  for (const [day, { alarming }] of Object.values(RULE_STORIES).entries()) {
    const start = end - (2 + day) * DAY_MS + random.int(0, HOUR_MS);
    const people = new Map<string, string>();
    for (const { minute, user, action = "", resource, firstSeen: _, ...told } of alarming) {
      const name = user?.id ?? "";
      const role = (user?.role ?? "org_admin") as Role;
      const id = people.get(name) ?? (await createUser({ partnerId: partner.id, orgId: storyOrgId, role })).id;
      people.set(name, id);
      events.push({
        ...{ orgId: storyOrgId, timestamp: new Date(start + minute * MINUTE_MS), action, actorId: id },
        ...{ actorType: told.actorType ?? "user", result: told.result ?? "success", details: told.details ?? {} },
        ...{ ipAddress: told.ipAddress ?? "203.0.113.7", resourceName: resource?.name ?? "WS-042" },
      });
    }
  }
  return events;
}

/** The demo's month and the stories in the order in which they arrive: some entries come hours after they happened. */
async function month(): Promise<TestEvent[]> {
  const random = createRandom(SEED);
  const end = Date.now() - MINUTE_MS;
  const personIds: string[] = [];
  for (const { role, org } of EVERYBODY) {
    const of = org === null ? { partnerId: partner.id } : { orgId: orgIds[org] ?? "" };
    personIds.push((await createUser({ ...of, role: role as Role })).id);
  }
  const cast = castIn({ homeOrgId: partner.homeOrgId, orgIds, personIds });
  const told = storyEvents(cast, random, end).events.map(
    ({ timestamp, ...event }) => ({ ...event, timestamp: new Date(timestamp) }) as TestEvent,
  );
  return [...told, ...(await stories(random, end))]
    .map((event) => ({ event, at: Number(event.timestamp) + (random.chance(0.02) ? random.int(0, 3 * HOUR_MS) : 0) }))
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event);
}

/** Appends the entries of an organization piece by piece, and has the rules follow, with the index now and then. */
async function live(orgId: string, events: TestEvent[], random: Random): Promise<void> {
  for (let at = 0; at < events.length; ) {
    const size = random.pick(BATCHES);
    await appendEvents(events.slice(at, at + size));
    at += size;
    if (random.chance(0.3)) await advanceIndex(orgId);
    await evaluateOrganization(orgId);
  }
  while (((await advanceIndex(orgId)) ?? 0) > 0);
}

/** What was raised live, each by the entries that it began with, and when the last of them happened. */
const raisedLive = () =>
  asSystem(async (tx) => {
    const found = await tx.select().from(a).innerJoin(r, eq(r.id, a.ruleId)).where(eq(r.partnerId, partner.id));
    const seen = await tx
      .select({ orgId: l.orgId, seq: l.chainSeq, timestamp: l.timestamp })
      .from(l)
      .where(inArray(l.orgId, [partner.homeOrgId, ...orgIds, storyOrgId]));
    const times = new Map(seen.map(({ orgId, seq, timestamp }) => [`${orgId} ${seq}`, timestamp.toISOString()]));
    return found.map(
      ({ detection_alerts: { orgId, title, entries, raisedEntries }, detection_rules: { id, shipped } }) => {
        const began = entries.slice(0, raisedEntries);
        return { ruleId: id, shipped, orgId, title, entries: began, at: times.get(`${orgId} ${began.at(-1)}`) ?? "" };
      },
    );
  });

beforeAll(async () => {
  partner = await createPartner();
  orgIds = [];
  for (let n = 0; n < 4; n++) orgIds.push((await createOrg({ partnerId: partner.id })).id);
  storyOrgId = orgIds.pop() ?? "";
  admin = await ctxFor(await createUser({ partnerId: partner.id, role: "partner_admin" }));
  const events = await month();
  await asSystem((tx) => seedShippedRules(tx, partner.id));
  for (const yaml of NOISY) await createRule.run(admin, createRuleInput.parse({ yaml, dedupeSeconds: 600 }));
  rules = (await listRules.run(admin, ruleListInput.parse({ limit: 100 }))).data;
  for (const { id, enabled } of rules)
    if (!enabled) await updateRule.run(admin, updateRuleInput.parse({ id, enabled: true }));
  // As if they had been there from the first entry: what changes a rule is in the log as well.
  await asSystem((tx) => tx.update(p).set({ throughSeq: 0 }).where(inArray(p.ruleId, rules.map(({ id }) => id)))); // biome-ignore format: one statement
  const random = createRandom(SEED);
  for (const orgId of [partner.homeOrgId, ...orgIds, storyOrgId])
    await live(orgId, events.filter((event) => event.orgId === orgId), random); // biome-ignore format: one call
  raised = await raisedLive();
});

/** The facts that tell alerts apart, in one order. */
const keysOf = (found: readonly { orgId: string; title: string; entries: readonly number[] }[]) =>
  found.map(({ orgId, title, entries }) => `${orgId} ${title} ${entries.join(",")}`).sort();

describe("over a month of data", () => {
  it("every shipped rule fires on its story, and the demo raises only expected alerts", () => {
    const firedIn = (isStory: boolean) => {
      const ofPlace = raised.filter(({ orgId }) => (orgId === storyOrgId) === isStory);
      return [...new Set(ofPlace.flatMap(({ shipped }) => shipped ?? []))].sort();
    };
    expect(firedIn(true)).toEqual(SHIPPED_RULES.map(({ key }) => key).sort());
    expect(firedIn(false)).toEqual(["admin_new_network", "export_after_failures"]);
  });

  it("a backtest finds exactly the live alerts", async () => {
    for (const { id, title, yaml, dedupeSeconds } of rules) {
      const own = raised.filter(({ ruleId }) => ruleId === id);
      const found = await backtestRule.run(admin, backtestInput.parse({ yaml, dedupeSeconds }));
      expect(found, title).toMatchObject({ alerts: own.length, complete: true, capped: false });
      const days = found.days.filter(({ alerts }) => alerts > 0).map(({ day, alerts }) => [day, alerts]);
      const onDay = groupBy(own, ({ at }) => at.slice(0, 10));
      expect(days, title).toEqual([...onDay].map(([day, { length }]) => [day, length]).sort());
      expect(keysOf(own), title).toEqual(expect.arrayContaining(keysOf(found.samples)));
      expect(found.samples, title).toHaveLength(Math.min(20, own.length));
    }
    expect(raised.length).toBeGreaterThan(1_000);
  });
});
