import { once } from "node:events";
import { createServer } from "node:http";
import { eq } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { notificationDeliveries, webhookEndpoints } from "@/db/schema";
import { jobWorker } from "@/server/ground/jobs";
import {
  auditRows,
  call,
  changeRows,
  createOrg,
  createPartner,
  createUser,
  rowsIn,
  type TestUser,
} from "@/testing/factories";
import { type HttpDouble, startHttpDouble } from "@/testing/http-double";
import { makeDue, workOff } from "@/testing/jobs";
import { startMailServer } from "@/testing/mail-server";
import { listen, portOf } from "@/testing/port-of";
import { withSettings } from "@/testing/settings";
import { queueMail } from "./queue";
import { deliveryJob, nextAttempt } from "./settle";

const HOUR = 3_600_000;
/** Endpoints get longer than a test waits for anything: none may pass because an endpoint was given up. */
const delivery = deliveryJob(120_000);
let receiver: HttpDouble;
beforeAll(async () => {
  withSettings({ TRAILMARK_WEBHOOKS_PRIVATE: true, TRAILMARK_WEBHOOKS_HTTP: true });
  receiver = await startHttpDouble();
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = () => ({ status: 204 });
});

const create = async (token: TestUser, over: object = {}) =>
  (await call(token, "POST /webhooks", { name: "Desk", url: receiver.url, kinds: ["chain.broken"], ...over })).body;
const test = (token: TestUser, id: string) => call(token, `POST /webhooks/${id}/test`);
const logOf = async (token: TestUser, endpointId: string) =>
  (await call(token, `GET /deliveries?endpointId=${endpointId}`)).body.data;
const verify = (secret: string, { headers, text }: HttpDouble["received"][0]) =>
  new Webhook(secret).verify(text, headers as Record<string, string>);
const failing = (id: string, hours: number) =>
  changeRows(webhookEndpoints, { id }, { failingSince: new Date(Date.now() - hours * HOUR) });
const storedOf = async (id: string) => (await rowsIn(webhookEndpoints, { id }))[0];

describe("webhook signing secret", () => {
  it("is shown once, stored encrypted and never recorded", async () => {
    const admin = await createUser();
    const created = await create(admin);
    expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const row = await storedOf(created.id);
    expect(JSON.stringify(row)).not.toContain(created.secret.slice(6));
    expect((await call(admin, "GET /webhooks")).text).not.toContain("secret");
    const rows = await auditRows(admin.orgId as string);
    expect(rows).toMatchObject([{ action: "webhook.create", resourceId: created.id, resourceName: "Desk" }]);
    expect(JSON.stringify(rows.map(({ details }) => details))).not.toContain(created.secret.slice(6));
  });

  it("rotates with two signatures during the overlap, then only the new one", async () => {
    const admin = await createUser();
    const { id, secret: former } = await create(admin);
    const { body } = await call(admin, `POST /webhooks/${id}/rotate`, { overlapSeconds: 3600 });
    await test(admin, id);
    await workOff(delivery);
    const [during] = receiver.received;
    if (!during) throw new Error("nothing was received");
    for (const secret of [former, body.secret])
      expect(verify(secret, during)).toMatchObject({ type: "notification.test" });
    await changeRows(webhookEndpoints, { id }, { formerUntil: new Date(0) });
    await test(admin, id);
    await workOff(delivery);
    const after = receiver.received[1] as HttpDouble["received"][0];
    expect(() => verify(former, after)).toThrow();
    expect(verify(body.secret, after)).toBeTruthy();
  });
});

describe("failed delivery", () => {
  it("is retried with growing pauses by any process, then given up", async () => {
    const admin = await createUser();
    const { id } = await create(admin);
    receiver.answer = () => ({ status: 500 });
    await test(admin, id);
    const attempts: number[] = [];
    for (let i = 0; i < 12; i++) {
      await workOff(delivery);
      const [row] = await logOf(admin, id);
      attempts.push(row.attempts);
      if (row.status === "failed") break;
      expect(row).toMatchObject({ status: "pending", responseCode: 500, error: "The endpoint answered 500." });
      expect(Date.parse(row.nextAttemptAt)).toBeGreaterThan(Date.now());
      await makeDue(delivery, row.id);
    }
    expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const ids = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
    expect([ids.size, receiver.received.length]).toEqual([1, 10]);

    receiver.answer = () => ({ status: 200 });
    const [failed] = await logOf(admin, id);
    expect((await call(admin, `POST /deliveries/${failed.id}/resend`)).body.status).toBe("pending");
    await workOff(delivery);
    expect((await logOf(admin, id))[0]).toMatchObject({ status: "delivered", attempts: 1, responseCode: 200 });
    expect((await auditRows(admin.orgId as string)).map(({ action }) => action)).toContain("webhook.resend");
  });

  it("is retried after 5 seconds at first, over three days in total", () => {
    const now = new Date(0);
    const pauses = Array.from({ length: 10 }, (_, i) => nextAttempt(i + 1, now, 0.5)?.getTime() ?? null);
    expect(pauses[0]).toBe(5000);
    expect(pauses[9]).toBeNull();
    const all = pauses.reduce((sum: number, pause) => sum + (pause ?? 0), 0);
    expect(all / HOUR).toBeCloseTo(75.6, 0);
  });

  it("disables the endpoint after five days, records it and stops sending", async () => {
    const admin = await createUser();
    const { id } = await create(admin);
    receiver.answer = () => ({ status: 503 });
    await failing(id, 121);
    await test(admin, id);
    await workOff(delivery);
    // An earlier message was given up days ago: this one is not, and may be delivered still.
    expect(await storedOf(id)).toMatchObject({ disabledAt: null, disabledByFailure: false });
    await changeRows(notificationDeliveries, { endpointId: id }, { attempts: 9 });
    await makeDue(delivery, (await logOf(admin, id))[0].id);
    await workOff(delivery);
    expect(await storedOf(id)).toMatchObject({ disabledByFailure: true });
    expect((await auditRows(admin.orgId as string)).at(-1)).toMatchObject({
      action: "webhook.disable",
      actorType: "system",
    });
    expect((await test(admin, id)).status).toBe(409);
    const enabled = await call(admin, `PATCH /webhooks/${id}`, { disabled: false });
    expect(enabled.body).toMatchObject({ disabledAt: null, disabledByFailure: false, failingSince: null });
  });

  it("no longer counts after the endpoint's URL changes", async () => {
    const admin = await createUser();
    const { id, url } = await create(admin);
    await failing(id, 121);
    const patch = async (body: object) => (await call(admin, `PATCH /webhooks/${id}`, body)).body;
    expect(await patch({ name: "Pager", url })).toMatchObject({ failingSince: expect.any(String) });
    expect(await patch({ url: `${url}/other` })).toMatchObject({ failingSince: null });
  });

  it("disables the endpoint immediately on 410", async () => {
    const admin = await createUser();
    const { id } = await create(admin);
    receiver.answer = () => ({ status: 410 });
    await test(admin, id);
    await workOff(delivery);
    expect(await storedOf(id)).toMatchObject({ disabledByFailure: true });
    expect((await logOf(admin, id))[0]).toMatchObject({ status: "failed", responseCode: 410 });
  });
});

it("an unresponsive endpoint does not delay other endpoints", async () => {
  const silent = createServer();
  const port = await listen(silent);
  const admin = await createUser();
  const slow = await create(admin, { url: `http://127.0.0.1:${port}/hook` });
  const quick = await create(admin);
  const asked = once(silent, "request");
  const worker = jobWorker([delivery]);
  worker.start();
  await test(admin, slow.id);
  await asked;
  await test(admin, quick.id);
  await expect.poll(async () => (await logOf(admin, quick.id))[0].status).toBe("delivered");
  expect((await logOf(admin, slow.id))[0]).toMatchObject({ status: "pending", error: null });
  silent.closeAllConnections();
  silent.close();
  await worker.stop();
  expect((await logOf(admin, slow.id))[0]).toMatchObject({ error: "The connection was cut." });
});

it("unresponsive endpoints of one organization do not delay another's", async () => {
  const silent = createServer();
  await listen(silent);
  const [one, other] = [await createUser(), await createUser()];
  const slow = await create(one, { url: `http://127.0.0.1:${portOf(silent)}/hook` });
  for (let i = 0; i < 20; i++) await test(one, slow.id);
  const asked = once(silent, "request");
  const worker = jobWorker([delivery]);
  worker.start();
  await asked;
  const quick = await create(other);
  await test(other, quick.id);
  await expect.poll(async () => (await logOf(other, quick.id))[0].status).toBe("delivered");
  expect((await logOf(one, slow.id)).every(({ status }: { status: string }) => status === "pending")).toBe(true);
  silent.closeAllConnections();
  silent.close();
  await worker.stop();
});

describe("delivery permissions", () => {
  it("cover the organization, or the whole partner for a partner's endpoint and log", async () => {
    const partner = await createPartner();
    const org = await createOrg({ partnerId: partner.id });
    const whole = await createUser({ role: "partner_admin", partnerId: partner.id });
    const limited = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [org.id] });
    const wide = await create(whole);
    expect(wide).toMatchObject({ orgId: null, partnerId: partner.id });
    const refused = { name: "x", url: receiver.url, kinds: ["chain.broken"] };
    expect((await call(limited, "POST /webhooks", refused)).status).toBe(403);
    expect((await call(limited, `DELETE /webhooks/${wide.id}`)).status).toBe(403);
    const viewer = await createUser({ role: "org_viewer", orgId: org.id });
    expect((await call(viewer, "GET /webhooks")).status).toBe(403);
    await test(whole, wide.id);
    const orgAdmin = await createUser({ orgId: org.id });
    expect(await logOf(orgAdmin, wide.id)).toEqual([]);
    expect(await logOf(limited, wide.id)).toEqual([]);
    expect(await logOf(whole, wide.id)).toHaveLength(1);
  });

  it("show only the host of a partner's endpoint without full partner access", async () => {
    const partner = await createPartner();
    const org = await createOrg({ partnerId: partner.id });
    const whole = await createUser({ role: "partner_admin", partnerId: partner.id });
    const limited = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [org.id] });
    const url = "https://hooks.example.com/T0/secret-token";
    await create(whole, { url });
    const urlsFor = async (token: TestUser) =>
      (await call(token, "GET /webhooks")).body.data.map((hook: { url: string }) => hook.url);
    expect(await urlsFor(limited)).toEqual(["https://hooks.example.com"]);
    await create(limited, { url, orgId: org.id });
    expect(await urlsFor(limited)).toEqual([url, "https://hooks.example.com"]);
    expect(await urlsFor(whole)).toEqual([url, url]);
  });

  it("return a URL as used, with special characters escaped", async () => {
    const admin = await createUser();
    const { url } = await create(admin, { url: "https://hooks.example.com/a\u0000b\ud800/ü" });
    expect(url).toBe("https://hooks.example.com/a%EF%BF%BDb%EF%BF%BD/%C3%BC");
  });

  it("reject a URL that the operator does not allow", async () => {
    const admin = await createUser();
    withSettings({ TRAILMARK_WEBHOOKS_PRIVATE: false, TRAILMARK_WEBHOOKS_HTTP: false });
    for (const url of ["http://hooks.example.com/", "https://10.0.0.1/", "https://localhost/", "nonsense"]) {
      const answer = await call(admin, "POST /webhooks", { name: "x", url, kinds: ["chain.broken"] });
      expect([url, answer.status, answer.body.errors[0].path]).toEqual([url, 400, "url"]);
    }
  });
});

it("emails go to the user's current address and appear only in their log", async () => {
  const mail = await startMailServer();
  withSettings({ SMTP_URL: mail.url, SMTP_FROM: "Trailmark <trailmark@example.test>" });
  const [admin, colleague] = [await createUser(), await createUser()];
  const message = { type: "notifications", subject: "Trailmark: Grüße", at: new Date(), mail: { text: "Line one" } };
  const row = await asSystem((tx) => queueMail(tx, admin, message));
  await workOff(delivery);
  // Test files share a database, and others leave mails to be sent.
  const received = mail.mails.filter(({ text }) => text.includes("Line one"));
  expect(received).toMatchObject([{ to: [admin.email] }]);
  const log = async (token: TestUser) => (await call(token, "GET /deliveries")).body.data;
  expect(await log(admin)).toMatchObject([{ id: row.id, channel: "mail", target: admin.email, status: "delivered" }]);
  expect(await log(colleague)).toEqual([]);
  await mail.close();
  await asSystem((tx) => tx.delete(notificationDeliveries).where(eq(notificationDeliveries.id, row.id)));
});
