import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { notificationDeliveries } from "@/db/schema";
import { clearAlarm, raiseAlarm } from "@/server/evidence/integrity/alarm";
import { deliveryJob } from "@/server/notify/deliveries/settle";
import type { NotificationKind } from "@/server/notify/vocabulary";
import { call, createOrg, createPartner, createUser, rowsIn, type TestUser } from "@/testing/factories";
import { type HttpDouble, startHttpDouble } from "@/testing/http-double";
import { workOff } from "@/testing/jobs";
import { withSettings } from "@/testing/settings";
import { evaluate } from "./evaluate";
import { DEFINITIONS } from "./kinds";
import type { Check } from "./kinds/definition";
import { sendMessages } from "./send-messages";

const brk = { seq: 7, id: "", kind: "altered", expected: "a", actual: "b" } as const;
const breakChain = (orgId: string) =>
  raiseAlarm({ orgId, at: new Date().toISOString(), source: "nightly", breaks: [brk] });

const broken = { "chain.broken": DEFINITIONS["chain.broken"].check };

async function pass(now: Date, checks: Partial<Record<NotificationKind, Check>> = broken): Promise<void> {
  const failures = await evaluate(checks, now, sendMessages);
  if (failures.length > 0) throw failures[0];
}

let receiver: HttpDouble;
beforeAll(async () => {
  withSettings({ TRAILMARK_WEBHOOKS_PRIVATE: true, TRAILMARK_WEBHOOKS_HTTP: true });
  receiver = await startHttpDouble();
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.received.length = 0;
});

const listOf = async (token: TestUser, query = "") => (await call(token, `GET /notifications?${query}`)).body.data;
const endpoint = (token: TestUser, over: object = {}) =>
  call(token, "POST /webhooks", { name: "Desk", url: receiver.url, kinds: ["chain.broken", "agents.silent"], ...over });

describe("broken chain notification", () => {
  it("appears once to everyone with log access and resolves with the condition", async () => {
    const viewer = await createUser({ role: "org_viewer" });
    const orgId = viewer.orgId as string;
    await breakChain(orgId);
    const first = new Date();
    await pass(first);
    await pass(new Date(first.getTime() + 60_000));
    const [raised, ...others] = await listOf(viewer);
    expect(others).toEqual([]);
    expect(raised).toMatchObject({ orgId, kind: "chain.broken", status: "open", isRead: false, resolution: null });
    expect(raised.sentence).toMatch(
      /^The audit chain of Org .+ is broken\. The first contradiction found is at entry 7\.$/,
    );
    expect(raised.raisedAt).toBe(first.toISOString());
    expect((await call(viewer, "GET /notifications/summary")).body).toEqual({ unread: 1, open: 1 });
    expect((await call(viewer, "POST /notifications/read", { ids: [raised.id] })).status).toBe(204);
    expect((await call(viewer, "GET /notifications/summary")).body).toEqual({ unread: 0, open: 1 });

    await clearAlarm(orgId, new Date());
    const over = new Date(first.getTime() + 120_000);
    await pass(over);
    const [resolved] = await listOf(viewer, "status=resolved");
    expect(resolved).toMatchObject({
      id: raised.id,
      status: "resolved",
      resolvedAt: over.toISOString(),
      isRead: false,
    });
    expect(resolved.resolution).toContain("found no contradiction");
    expect((await call(viewer, "GET /notifications/summary")).body).toEqual({ unread: 1, open: 0 });
    expect((await call(viewer, "POST /notifications/read")).status).toBe(204);
    expect((await call(viewer, "GET /notifications/summary")).body.unread).toBe(0);
  });

  it("can be read and selected by a platform operator within one organization", async () => {
    const operator = await createUser({ role: "system_admin" });
    const [first, second] = [await createOrg(), await createOrg()];
    await breakChain(first.id);
    await breakChain(second.id);
    await pass(new Date());
    const [seen] = await listOf(operator, `orgId=${first.id}`);
    expect((await call(operator, "POST /notifications/read", { ids: [seen.id] })).status).toBe(204);
    expect(await listOf(operator, `orgId=${first.id}`)).toMatchObject([{ id: seen.id, isRead: true }]);
    const summary = async (org: { id: string }) =>
      (await call(operator, `GET /notifications/summary?orgId=${org.id}`)).body;
    expect(await summary(first)).toEqual({ unread: 0, open: 1 });
    const choose = (body: object) => call(operator, "PUT /me/notification-settings", body);
    expect((await choose({ organizationIds: [first.id] })).status).toBe(200);
    expect(await listOf(operator, `orgId=${second.id}`)).toEqual([]);
    expect((await choose({ organizationIds: null, productKinds: ["agents.silent"] })).status).toBe(200);
    expect(await summary(first)).toEqual({ unread: 0, open: 0 });
    expect((await choose({ organizationIds: [randomUUID()] })).status).toBe(403);
  });

  it("is marked read with all others of the named organization only", async () => {
    const partner = await createPartner();
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    const [first, second] = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
    for (const { id } of [first, second]) await breakChain(id);
    await pass(new Date());
    expect((await call(admin, "POST /notifications/read", { orgId: first.id })).status).toBe(204);
    expect(await listOf(admin, `orgId=${first.id}`)).toMatchObject([{ isRead: true }]);
    expect(await listOf(admin, `orgId=${second.id}`)).toMatchObject([{ isRead: false }]);
    expect((await call(admin, "POST /notifications/read", { orgId: (await createOrg()).id })).status).toBe(403);
  });

  it("is hidden from other organizations", async () => {
    const [mine, other] = [await createUser(), await createUser()];
    await breakChain(other.orgId as string);
    await pass(new Date());
    expect(await listOf(mine)).toEqual([]);
    const [theirs] = await listOf(other);
    await call(mine, "POST /notifications/read", { ids: [theirs.id] });
    expect((await call(other, "GET /notifications/summary")).body.unread).toBe(1);
    expect((await call(mine, `GET /notifications?orgId=${other.orgId}`)).status).toBe(403);
  });
});

describe("webhook notifications", () => {
  it("send one verifiable Standard Webhooks message when raised and one when resolved", async () => {
    const admin = await createUser();
    const orgId = admin.orgId as string;
    const { body: created } = await endpoint(admin);
    await breakChain(orgId);
    const now = new Date();
    await pass(now);
    await workOff(deliveryJob());
    expect(receiver.received).toHaveLength(1);
    const [{ headers, text }] = receiver.received as [HttpDouble["received"][0]];
    const told = new Webhook(created.secret).verify(text, headers as Record<string, string>);
    expect(told).toMatchObject({
      type: "notification.raised",
      data: { kind: "chain.broken", total: 1, notifications: [{ orgId, resolvedAt: null }] },
    });
    expect(() => new Webhook(created.secret).verify(`${text} `, headers as Record<string, string>)).toThrow();
    await clearAlarm(orgId, new Date());
    const later = new Date(now.getTime() + 61_000);
    await pass(later);
    await workOff(deliveryJob());
    expect(JSON.parse(receiver.received[1]?.text ?? "")).toMatchObject({ type: "notification.resolved" });
    const rows = await rowsIn(notificationDeliveries, { endpointId: created.id });
    expect(rows.map(({ status, attempts, responseCode }) => [status, attempts, responseCode])).toEqual([
      ["delivered", 1, 204],
      ["delivered", 1, 204],
    ]);
  });

  it("combine a hundred silent customers of a partner into one message", async () => {
    const partner = await createPartner();
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    const orgs = await Promise.all(Array.from({ length: 100 }, () => createOrg({ partnerId: partner.id })));
    const foreign = await createOrg();
    const { body: created } = await endpoint(admin);
    const found = [...orgs, foreign].map(({ id }) => ({ orgId: id, holds: true, detail: { count: 2 } }));
    const checked = new Set(found.map(({ orgId }) => orgId));
    const silent = { "agents.silent": async () => ({ checked, found }) } as const;
    const first = new Date();
    for (let minute = 0; minute <= 20; minute += 4) await pass(new Date(first.getTime() + minute * 60_000), silent);
    await workOff(deliveryJob());
    const mine = receiver.received.map(({ text }) => JSON.parse(text));
    expect(mine).toHaveLength(1);
    expect(mine[0].data).toMatchObject({ kind: "agents.silent", total: 100 });
    expect(new Set(mine[0].data.notifications.map((n: { orgId: string }) => n.orgId))).toEqual(
      new Set(orgs.map(({ id }) => id)),
    );
    expect((await call(admin, "GET /notifications/summary")).body).toEqual({ unread: 1, open: 100 });
    expect(created.kinds).toContain("agents.silent");
  });
});

describe("a condition that another one joins", () => {
  const HOUR = 3_600_000;

  type Look = readonly [hours: number, names: string[], ids?: string[]];

  /** What an organization's viewer is told of a kind after each of these looks: when, with how many names, and by which sentence. */
  async function watch(kind: "witness.away" | "webhook.disabled", looks: readonly Look[]) {
    const viewer = await createUser({ role: "org_viewer" });
    const orgId = viewer.orgId as string;
    const began = Date.now();
    const told: [hours: number, unread: number, sentence: string][] = [];
    for (const [hours, names, ids] of looks) {
      const found = names.length > 0 ? [{ orgId, holds: true, detail: { names, ...(ids && { ids }) } }] : [];
      await pass(new Date(began + hours * HOUR), { [kind]: async () => ({ checked: new Set([orgId]), found }) });
      const [row] = await listOf(viewer, `kind=${kind}`);
      const { unread } = (await call(viewer, "GET /notifications/summary")).body;
      if (row) told.push([(Date.parse(row.raisedAt) - began) / HOUR, unread, row.sentence]);
      if (row) await call(viewer, "POST /notifications/read");
    }
    const at = (hours: number) =>
      new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" }).format(
        new Date(began + hours * HOUR),
      );
    return { told, at };
  }

  it("is raised again for another disabled webhook, not for a re-enabled one", async () => {
    const { told } = await watch("webhook.disabled", [
      [0, ["Desk"], ["a"]],
      [1, ["Desk", "Desk"], ["a", "b"]],
      [2, ["Desk"], ["b"]],
      [3, ["Desk"], ["b"]],
    ]);
    expect(told.map(([hours, unread]) => [hours, unread])).toEqual([
      [0, 1],
      [1, 1],
      [1, 0],
      [1, 0],
    ]);
  });

  it("is not raised again for a renamed webhook, but for another of the same name", async () => {
    const { told } = await watch("webhook.disabled", [
      [0, ["Desk"], ["a"]],
      [1, ["Front desk"], ["a"]],
      [2, ["Front desk"], ["b"]],
    ]);
    expect(told.map(([hours, unread]) => [hours, unread])).toEqual([
      [0, 1],
      [0, 0],
      [2, 1],
    ]);
    expect(told[1]?.[2]).toContain("Front desk");
  });

  it("is raised again when another witness is away for a day, each with its own date", async () => {
    const { told, at } = await watch("witness.away", [
      [0, ["far"]],
      [24, ["far"]],
      [30, ["far", "near"]],
      [53, ["near"]],
      [54, ["near"]],
    ]);
    const since = (name: string, hours: number) => `the witness ${name} since ${at(hours)} UTC`;
    const none = "None of the newest checkpoints has carried a cosignature of";
    expect(told).toEqual([
      [24, 1, `${none} ${since("far", 0)}.`],
      [24, 0, `${none} ${since("far", 0)}, nor of ${since("near", 30)}.`],
      [24, 0, `${none} ${since("near", 30)}.`],
      [54, 1, `${none} ${since("near", 30)}.`],
    ]);
  });

  it("is not raised when different witnesses were away within one day", async () => {
    const { told } = await watch("witness.away", [
      [0, ["far"]],
      [12, ["far", "near"]],
      [24, ["near"]],
      [35, ["near"]],
      [36, ["near"]],
    ]);
    expect(told.map(([hours]) => hours)).toEqual([36]);
  });
});

describe("conditions that start and end in one evaluation", () => {
  it("are two notifications in two groups, whatever the organizations' names", async () => {
    const partner = await createPartner();
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    const create = (name: string) => createOrg({ partnerId: partner.id, name });
    const [first, over, last] = [await create("Adatum"), await create("Contoso"), await create("Tailspin")];
    await breakChain(over.id);
    const began = new Date();
    await pass(began);
    await clearAlarm(over.id, new Date());
    for (const { id } of [first, last]) await breakChain(id);
    await pass(new Date(began.getTime() + 60_000));
    expect((await call(admin, "GET /notifications/summary")).body).toEqual({ unread: 2, open: 2 });
    expect((await listOf(admin)).map((row: { orgId: string }) => row.orgId)).toEqual([over.id, first.id, last.id]);
  });
});
