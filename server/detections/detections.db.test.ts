import { spawnSync } from "node:child_process";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { detectionPositions, detectionRules, detectionWindows } from "@/db/schema";
import { ownKeys } from "@/server/evidence/checkpoints/stored-note";
import { judgeProof } from "@/server/evidence/proofs/judge-proof";
import { noteTools } from "@/server/evidence/tree/note-tools";
import type { Ctx } from "@/server/ground/context";
import { organizationKinds } from "@/server/notify/notifications/kinds/organizations";
import { appendEvents, type TestEvent } from "@/testing/audit-entries";
import { auditRows, changeRows, createOrg, createPartner, createUser, ctxFor, type TestOrg } from "@/testing/factories";
import { advanceIndex } from "@/testing/search/advance-index";
import { getAlert, listAlerts, updateAlert } from "./alerts";
import { backtestRule } from "./backtest";
import { evaluateOrganization, fillPositions, organizationsBehind } from "./evaluate/run";
import { getAlertEvidence } from "./evidence";
import { createException, removeException } from "./exceptions";
import { createRule, getRule, listRules, removeRule, updateRule } from "./rules";
import {
  alertListInput,
  backtestInput,
  createExceptionInput,
  createRuleInput,
  ruleListInput,
  updateAlertInput,
  updateRuleInput,
} from "./schema";
import { SHIPPED_RULES } from "./shipped/rules";
import { seedShippedRules } from "./shipped/seed";

const ONE = "title: Deleted\nlogsource: {product: trailmark}\ndetection: {s: {action: device.delete}, condition: s}\n";
const MANY = `name: d
${ONE}---
title: Many deleted
correlation: {type: event_count, rules: [d], group-by: [user.id], timespan: 10m, condition: {gte: 3}}
`;

async function arrange() {
  const partner = await createPartner();
  const org = await createOrg({ partnerId: partner.id });
  const admin = await ctxFor(await createUser({ partnerId: partner.id, role: "partner_admin" }));
  return { partner, org, admin };
}
const create = (ctx: Ctx, over: object = {}) => createRule.run(ctx, createRuleInput.parse({ yaml: ONE, ...over }));
const alertsOf = async (ctx: Ctx, over: object = {}) =>
  (await listAlerts.run(ctx, alertListInput.parse(over))).data.sort((a, b) => a.raisedAt.localeCompare(b.raisedAt));

async function deletedBy(org: TestOrg, over: Partial<TestEvent> = {}) {
  const user = await createUser({ orgId: org.id });
  return {
    user,
    event: { orgId: org.id, actorType: "user", actorId: user.id, action: "device.delete", ...over } as TestEvent,
  };
}

/** The files of an archive, as another program reads it. */
async function unzipped(response: Response): Promise<Record<string, string>> {
  const script =
    "import io,json,sys,zipfile as z\nf=z.ZipFile(io.BytesIO(sys.stdin.buffer.read()))\nprint(json.dumps({n:f.read(n).decode() for n in f.namelist()}))";
  const input = Buffer.from(await response.arrayBuffer());
  return JSON.parse(spawnSync("python3", ["-c", script], { input, encoding: "utf8" }).stdout);
}

describe("detection rule", () => {
  it("starts with the next entry, raises one alert per incident and logs it", async () => {
    const { org, admin } = await arrange();
    const { user, event } = await deletedBy(org);
    await appendEvents([event]);
    const rule = await create(admin);
    await evaluateOrganization(org.id);
    expect(await alertsOf(admin)).toEqual([]);
    await appendEvents([event, event]);
    await evaluateOrganization(org.id);
    const [alert, ...more] = await alertsOf(admin);
    expect(more).toEqual([]);
    expect(alert).toMatchObject({
      ...{ orgId: org.id, organization: org.name, ruleId: rule.id, title: `Deleted: ${user.name}` },
      ...{ entries: [2, 3], entryCount: 2, state: "open", group: [{ field: "user.id", value: user.id }] },
    });
    const raised = (await auditRows(org.id)).filter(({ action }) => action === "detection.alert.raise");
    expect(raised).toMatchObject([{ id: alert?.id, resourceName: alert?.title, details: { entries: [2] } }]);
  });

  it("counts per user across runs and steps", async () => {
    const { org, admin } = await arrange();
    await create(admin, { yaml: MANY });
    const [jane, bob] = [await deletedBy(org), await deletedBy(org)];
    for (const { event } of [jane, bob, jane, bob]) {
      await appendEvents([event]);
      await evaluateOrganization(org.id);
    }
    expect(await alertsOf(admin)).toEqual([]);
    await appendEvents([jane.event]);
    await evaluateOrganization(org.id);
    expect(await alertsOf(admin)).toMatchObject([{ title: `Many deleted: ${jane.user.name}`, entries: [1, 3, 5] }]);
  });

  it("lists entries from the first one counted", async () => {
    const { org, admin } = await arrange();
    const yaml = `${MANY.replace("title: Many deleted", "name: m")}---
name: u
${ONE.replace("device.delete", "device.update")}---
title: Both
correlation: {type: temporal_ordered, rules: [m, u], group-by: [user.id], timespan: 10m}
`;
    await create(admin, { yaml });
    const { event } = await deletedBy(org);
    const start = Date.now() - 3_600_000;
    const at = (minute: number) => new Date(start + 60_000 * minute);
    await appendEvents([0, 1, 2].map((minute) => ({ ...event, timestamp: at(minute) })));
    await appendEvents([{ ...event, action: "device.update", timestamp: at(3) }]);
    await evaluateOrganization(org.id);
    expect(await alertsOf(admin)).toMatchObject([
      { entries: [1, 2, 3, 4], firstAt: at(0).toISOString(), lastAt: at(3).toISOString() },
    ]);
  });

  it("on first-seen values raises live what a backtest finds, indexed or not", async () => {
    const { org, admin } = await arrange();
    const yaml = ONE.replace("action: device.delete", "firstSeen: network");
    await create(admin, { yaml, dedupeSeconds: 0 });
    const { user, event } = await deletedBy(org);
    const from = (...addresses: string[]) => addresses.map((ipAddress) => ({ ...event, ipAddress }));
    await appendEvents(from("198.51.100.7", "198.51.100.8", "203.0.113.9"));
    await evaluateOrganization(org.id);
    while (((await advanceIndex(org.id)) ?? 0) > 0);
    await appendEvents(from("203.0.113.77", "192.0.2.1", "198.51.100.7"));
    await evaluateOrganization(org.id);
    const raised = (await alertsOf(admin)).filter(({ group }) => group[0]?.value === user.id);
    expect(raised.map(({ entries }) => entries).sort()).toEqual([[1], [3], [7]].sort());
    const test = await backtestRule.run(admin, backtestInput.parse({ yaml, dedupeSeconds: 0 }));
    const found = test.samples.filter(({ orgId }) => orgId === org.id);
    expect(found.map(({ entries }) => entries).sort()).toEqual(raised.map(({ entries }) => entries).sort());
    await expect(create(admin, { yaml: yaml.replace("network", "netwrok") })).rejects.toMatchObject({
      message: expect.stringContaining("firstSeen takes address, network, userAgent"),
    });
  });

  it("is rejected with the name of an unsupported element", async () => {
    const { admin } = await arrange();
    await expect(create(admin, { yaml: `${ONE}timeframe: 5m\n` })).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringContaining("timeframe"),
    });
  });

  it("watches organizations created later from their first entry", async () => {
    const { partner, admin } = await arrange();
    await create(admin);
    const later = await createOrg({ partnerId: partner.id });
    await appendEvents([(await deletedBy(later)).event]);
    await asSystem(fillPositions);
    expect(await asSystem(organizationsBehind)).toContain(later.id);
    await evaluateOrganization(later.id);
    const now = await ctxFor(await createUser({ partnerId: partner.id, role: "partner_admin" }));
    expect(await alertsOf(now)).toMatchObject([{ orgId: later.id, entries: [1] }]);
  });

  it("starts over when re-enabled, and keeps its alerts when deleted", async () => {
    const { org, admin } = await arrange();
    const { id } = await create(admin);
    const { event } = await deletedBy(org);
    await updateRule.run(admin, updateRuleInput.parse({ id, enabled: false }));
    await appendEvents([event]);
    await updateRule.run(admin, updateRuleInput.parse({ id, enabled: true }));
    await evaluateOrganization(org.id);
    expect(await alertsOf(admin)).toEqual([]);
    await appendEvents([event]);
    await evaluateOrganization(org.id);
    await removeRule.run(admin, { id });
    expect(await alertsOf(admin)).toMatchObject([{ ruleId: null, title: expect.stringContaining("Deleted") }]);
  });

  it("belongs to its partner: hidden from customers, not editable with partial access", async () => {
    const { partner, org, admin } = await arrange();
    const { id } = await create(admin);
    const customer = await ctxFor(await createUser({ orgId: org.id, role: "org_admin" }));
    await expect(getRule.run(customer, { id })).rejects.toMatchObject({ code: "not_found" });
    const part = { partnerId: partner.id, role: "partner_admin" as const, organizationIds: [org.id] };
    const narrowed = await ctxFor(await createUser(part));
    await expect(removeRule.run(narrowed, { id })).rejects.toMatchObject({ code: "forbidden" });
    await expect(create(narrowed)).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("detection alert", () => {
  let org: TestOrg;
  let admin: Ctx;
  beforeAll(async () => {
    ({ org, admin } = await arrange());
    await create(admin, { dedupeSeconds: 0 });
  });
  const raise = async (of: Awaited<ReturnType<typeof deletedBy>>) => {
    await appendEvents([of.event]);
    await evaluateOrganization(org.id);
    return (await alertsOf(admin)).filter(({ actorId }) => actorId === of.user.id);
  };

  it("absorbs more entries while acknowledged, and is followed by a new one once closed", async () => {
    const jane = await deletedBy(org);
    const [first] = await raise(jane);
    const id = first?.id ?? "";
    await updateAlert.run(admin, updateAlertInput.parse({ id, state: "acknowledged" }));
    expect(await raise(jane)).toMatchObject([{ id, entryCount: 2, state: "acknowledged" }]);
    await updateAlert.run(
      admin,
      updateAlertInput.parse({ id, state: "closed", reason: "expected", note: "Migration" }),
    );
    expect(await raise(jane)).toMatchObject([
      { id, reason: "expected" },
      { state: "open", entryCount: 1 },
    ]);
    const changes = (await auditRows(org.id)).filter(({ action }) => action === "detection.alert.update");
    expect(changes.map(({ details }) => details)).toMatchObject([
      { before: { state: "open" }, after: { state: "acknowledged" } },
      { before: { state: "acknowledged" }, after: { state: "closed", reason: "expected", note: "Migration" } },
    ]);
  });

  it("lists its entries and the actor's last day", async () => {
    const jane = await deletedBy(org);
    await appendEvents([{ ...jane.event, action: "user.login" }]);
    const [alert] = await raise(jane);
    const story = await getAlert.run(admin, { id: alert?.id ?? "" });
    expect(story.story.map(({ chainSeq }) => chainSeq)).toEqual(alert?.entries);
    expect(story.actorsDay.map(({ action }) => action)).toEqual(["user.login", "device.delete"]);
  });

  it("downloads a proof of each of its entries and no other", async () => {
    const jane = await deletedBy(org);
    await appendEvents([{ ...jane.event, action: "user.login" }]);
    const [alert] = await raise(jane);
    const files = await unzipped(await getAlertEvidence.run(admin, { id: alert?.id ?? "" }));
    expect(Object.keys(files)).toEqual(alert?.entries.map((seq) => `entry-${seq}.tlog-proof`));
    const trust = { logs: ownKeys(), witnesses: [], quorum: null };
    for (const text of Object.values(files))
      expect(judgeProof(noteTools, text, trust)).toMatchObject({
        status: "intact",
        row: { action: "device.delete", actorId: jane.user.id },
      });
    const made = (await auditRows(org.id)).filter(({ action }) => action === "audit_logs.proof");
    expect(made).toMatchObject([{ resourceId: alert?.id, details: { sequences: alert?.entries } }]);
  });

  it("returns not_found to other organizations and requires a reason to close", async () => {
    const [alert] = await raise(await deletedBy(org));
    const stranger = await ctxFor("org_admin");
    await expect(getAlert.run(stranger, { id: alert?.id ?? "" })).rejects.toMatchObject({ code: "not_found" });
    expect(updateAlertInput.safeParse({ id: alert?.id, state: "closed" }).success).toBe(false);
    const assigned = updateAlertInput.parse({ id: alert?.id, assigneeId: (await createUser()).id });
    await expect(updateAlert.run(admin, assigned)).rejects.toMatchObject({ code: "validation_failed" });
  });

  it("is not raised while an exception is in effect", async () => {
    const jane = await deletedBy(org);
    const [rule] = (await listRules.run(admin, ruleListInput.parse({}))).data;
    const fields = { "user.email": jane.user.email };
    const input = createExceptionInput.parse({ ruleId: rule?.id, fields, reason: "Clean-up" });
    const { id } = await createException.run(admin, input);
    expect(await raise(jane)).toEqual([]);
    await removeException.run(admin, { id });
    expect(await raise(jane)).toHaveLength(1);
    const bad = createExceptionInput.parse({ ruleId: rule?.id, fields: { nobody: "x" }, reason: "x" });
    await expect(createException.run(admin, bad)).rejects.toMatchObject({ code: "validation_failed" });
  });

  it("counts in the notification bell unless its rule is snoozed", async () => {
    const mine = async () =>
      (await organizationKinds["detection.alert"].check(new Date())).found.find((one) => one.orgId === other.org.id)
        ?.detail;
    const other = await arrange();
    const { id } = await create(other.admin, { dedupeSeconds: 0 });
    const jane = await deletedBy(other.org);
    await updateRule.run(other.admin, updateRuleInput.parse({ id, snoozedUntil: "2099-01-01T00:00:00Z" }));
    await appendEvents([jane.event]);
    await evaluateOrganization(other.org.id);
    expect(await mine()).toBeUndefined();
    await updateRule.run(other.admin, updateRuleInput.parse({ id, snoozedUntil: null }));
    await appendEvents([jane.event]);
    await evaluateOrganization(other.org.id);
    expect(await mine()).toMatchObject({ count: 1, names: [`Deleted: ${jane.user.name}`] });
  });
});

describe("rule state", () => {
  it("is limited to 10,000 groups, and the rule reports the limit", async () => {
    const { org, admin } = await arrange();
    const { id } = await create(admin, { yaml: MANY.replace("user.id", "details.n") });
    const events = Array.from({ length: 10_050 }, (_, n) => ({
      orgId: org.id,
      action: "device.delete",
      details: { n },
    }));
    await appendEvents(events);
    await evaluateOrganization(org.id);
    expect(await asSystem((tx) => tx.$count(detectionWindows, eq(detectionWindows.ruleId, id)))).toBe(10_000);
    expect((await getRule.run(admin, { id })).cappedAt).not.toBeNull();
  });

  it("is shared between processes, so an entry counts once", async () => {
    const { org, admin } = await arrange();
    await create(admin, { dedupeSeconds: 0 });
    const { event } = await deletedBy(org);
    await appendEvents([event]);
    const stuck = asSystem(async (tx) => {
      await tx.select().from(detectionPositions).where(eq(detectionPositions.orgId, org.id)).for("update");
      await new Promise((resolve) => setTimeout(resolve, 300));
    });
    await Promise.all([
      stuck,
      evaluateOrganization(org.id),
      evaluateOrganization(org.id),
      evaluateOrganization(org.id),
    ]);
    expect(await alertsOf(admin)).toMatchObject([{ entryCount: 1 }]);
    const raised = (await auditRows(org.id)).filter(({ action }) => action === "detection.alert.raise");
    expect(raised).toHaveLength(1);
  });
});

it("shipped rules exist for every partner, cannot be edited, and keep partner settings", async () => {
  const { partner, admin } = await arrange();
  await asSystem((tx) => seedShippedRules(tx, partner.id));
  const { data } = await listRules.run(admin, ruleListInput.parse({ limit: 100 }));
  expect(data.map(({ shipped }) => shipped).sort()).toEqual(SHIPPED_RULES.map(({ key }) => key).sort());
  const id = data.find(({ shipped }) => shipped === "token_reuse")?.id ?? "";
  await expect(removeRule.run(admin, { id })).rejects.toMatchObject({ code: "conflict" });
  const edited = updateRuleInput.parse({ id, yaml: ONE });
  await expect(updateRule.run(admin, edited)).rejects.toMatchObject({ code: "conflict" });
  await updateRule.run(admin, updateRuleInput.parse({ id, enabled: false }));
  await changeRows(detectionRules, { id }, { digest: "older" });
  await asSystem((tx) => seedShippedRules(tx, partner.id));
  expect(await getRule.run(admin, { id })).toMatchObject({ enabled: false });
});
