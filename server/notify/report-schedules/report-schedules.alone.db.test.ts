import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Tx } from "@/db/client";
import { notificationDeliveries, organizations, reportSchedules, users } from "@/db/schema";
import { deliveryJob } from "@/server/notify/deliveries/settle";
import { appendEvents } from "@/testing/audit-entries";
import { roles } from "@/testing/chain";
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
import { whileHeld } from "@/testing/held-rows";
import { workOff } from "@/testing/jobs";
import { type MailServer, startMailServer } from "@/testing/mail-server";
import { withSettings } from "@/testing/settings";
import { render } from "./render";
import { runDueReports } from "./run";

let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
  withSettings({ SMTP_URL: mail.url, SMTP_FROM: "Trailmark <trailmark@example.test>" });
});
afterAll(() => mail.close());

const schedule = (token: TestUser, over: object = {}) =>
  call(token, "POST /report-schedules", { report: "security", cadence: "weekly", timeZone: "UTC", ...over });
const deliveriesOf = (userId: string) => rowsIn(notificationDeliveries, { userId });
const dueAt = (id: string, nextRunAt: Date) => changeRows(reportSchedules, { id }, { nextRunAt });
const stored = async (id: string) => (await rowsIn(reportSchedules, { id }))[0];

/** A Wednesday; the week before is that from 9 to 15 November. */
const NOW = new Date("2026-11-18T10:00:00Z");
const inTheWeek = new Date("2026-11-12T10:00:00Z");

describe("a scheduled report", () => {
  it("is emailed once by any number of processes, for the last full week, and recorded", async () => {
    const admin = await createUser();
    const orgId = admin.orgId as string;
    const failed = { orgId, action: "user.login.failed", result: "failure" as const };
    await appendEvents([
      { ...failed, timestamp: inTheWeek },
      { ...failed, timestamp: inTheWeek },
      { ...failed, timestamp: new Date("2026-11-16T00:00:00Z") },
    ]);
    const { body: created, status } = await schedule(admin);
    expect(status).toBe(201);
    await dueAt(created.id, new Date("2026-11-16T06:00:00Z"));
    await Promise.all([runDueReports(NOW), runDueReports(NOW), runDueReports(NOW)]);
    await runDueReports(new Date(NOW.getTime() + 60_000));
    expect(await deliveriesOf(admin.id)).toHaveLength(1);
    await workOff(deliveryJob());
    const sent = mail.mails.filter(({ to }) => to.includes(admin.email));
    expect(sent).toHaveLength(1);
    const text = sent[0]?.text ?? "";
    expect(text).toContain("Entries: 2");
    expect(text).toContain("Failed sign-ins: 2");
    expect(text).toContain("security-2026-11-09-to-2026-11-15.csv");
    expect(text).toContain("text/html");
    const after = await stored(created.id);
    expect(after).toMatchObject({ lastError: null, lastRunAt: NOW, nextRunAt: new Date("2026-11-23T06:00:00Z") });
    const exported = (await auditRows(orgId)).filter(({ action }) => action === "audit_logs.export");
    expect(exported).toMatchObject([{ actorId: admin.id, details: { format: "mail", report: "security" } }]);
  });

  it("is not delayed by a failing one, which is retried later", async () => {
    const [stuck, admin] = [await createUser(), await createUser()];
    const [{ body: broken }, { body: created }] = [await schedule(stuck), await schedule(admin)];
    await dueAt(broken.id, new Date("2026-11-16T05:00:00Z"));
    await dueAt(created.id, new Date("2026-11-16T06:00:00Z"));
    // A zone that this version of Node does not know any more.
    await changeRows(reportSchedules, { id: broken.id }, { timeZone: "Nowhere/Land" });
    await runDueReports(NOW);
    expect(await deliveriesOf(admin.id)).toHaveLength(1);
    expect(await deliveriesOf(stuck.id)).toHaveLength(0);
    const after = await stored(broken.id);
    expect(after).toMatchObject({ lastError: expect.stringMatching(/tried again/), lastRunAt: null });
    expect(after?.nextRunAt.getTime()).toBeGreaterThan(NOW.getTime());
  });

  it("is recorded once even if queued at the second attempt", async () => {
    const admin = await createUser();
    const { body: created } = await schedule(admin);
    await dueAt(created.id, new Date("2026-11-16T06:00:00Z"));
    await roles.owner.unsafe(`
      CREATE FUNCTION refuse_mail() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'the database is away'; END $$;
      CREATE CONSTRAINT TRIGGER refuse_mail AFTER INSERT ON notification_deliveries DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.user_id = '${admin.id}') EXECUTE FUNCTION refuse_mail();`);
    await runDueReports(NOW).finally(() => roles.owner`DROP FUNCTION refuse_mail() CASCADE`);
    expect(await deliveriesOf(admin.id)).toEqual([]);
    await runDueReports(new Date(NOW.getTime() + 3_600_000));
    expect(await deliveriesOf(admin.id)).toHaveLength(1);
    const exported = (await auditRows(admin.orgId as string)).filter(({ action }) => action === "audit_logs.export");
    expect(exported).toMatchObject([{ details: { format: "mail", scheduleId: created.id } }]);
  });

  it("is one email to one user, even with line breaks in the organization's name", async () => {
    const admin = await createUser();
    const name = "Contoso\r\nBcc: thief@example.test\r\n\r\nOpen http://evil.example\u2028now";
    await changeRows(organizations, { id: admin.orgId as string }, { name });
    const { body: created } = await schedule(admin, { orgId: admin.orgId });
    await dueAt(created.id, new Date("2026-11-16T06:00:00Z"));
    await runDueReports(NOW);
    await workOff(deliveryJob());
    const [sent, ...more] = mail.mails.filter(({ to }) => to.includes(admin.email));
    expect([sent?.to, more]).toEqual([[admin.email], []]);
    const [head = "", ...body] = (sent?.text ?? "").replaceAll("=\r\n", "").split("\r\n\r\n");
    expect(head).not.toMatch(/^bcc:/im);
    expect(body.join("\n\n")).not.toMatch(/^(bcc:|open http)/im);
    expect(body.join("\n\n")).toMatch(/^Contoso Bcc: /m);
  });

  it("missed for weeks is sent once, and waits without a mail server", async () => {
    const admin = await createUser();
    const { body: created } = await schedule(admin);
    await dueAt(created.id, new Date("2026-09-07T06:00:00Z"));
    withSettings({ SMTP_URL: undefined });
    expect(await runDueReports(NOW)).toBe(0);
    expect((await call(admin, "GET /report-schedules")).body.mailConfigured).toBe(false);
    withSettings({ SMTP_URL: mail.url });
    await runDueReports(NOW);
    const [only, ...others] = await deliveriesOf(admin.id);
    expect(only?.subject).toContain("9 Nov 2026 to 15 Nov 2026");
    expect(others).toEqual([]);
  });

  it("is not sent to a user who lost access, and the list says so", async () => {
    const partner = await createPartner();
    const org = await createOrg({ partnerId: partner.id });
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    const { body: created } = await schedule(admin, { orgId: org.id });
    await changeRows(users, { id: admin.id }, { role: "partner_technician" });
    await dueAt(created.id, new Date("2026-11-16T06:00:00Z"));
    await runDueReports(NOW);
    expect(await deliveriesOf(admin.id)).toEqual([]);
    expect(await stored(created.id)).toMatchObject({ lastError: "The user may not export audit logs any more." });
  });

  it("is not sent if the user loses access while it is generated", async () => {
    const admin = await createUser();
    const { body: created } = await schedule(admin);
    await dueAt(created.id, new Date("2026-11-16T06:00:00Z"));
    const lose = async (tx: Tx) => {
      await tx.select().from(users).where(eq(users.id, admin.id)).for("update");
      await tx.update(users).set({ role: "org_technician" }).where(eq(users.id, admin.id));
    };
    await whileHeld(
      lose,
      () => runDueReports(NOW),
      () => {},
    );
    expect(await deliveriesOf(admin.id)).toEqual([]);
    expect(await stored(created.id)).toMatchObject({ lastError: "The user may not export audit logs any more." });
  });

  it("follows changes of the organization's time zone", async () => {
    const admin = await createUser();
    const orgId = admin.orgId as string;
    const zoned = (timeZone: string | null) => call(admin, `PATCH /orgs/organizations/${orgId}`, { timeZone });
    expect((await zoned("Asia/Tokyo")).body.timeZone).toBe("Asia/Tokyo");
    const { body: created } = await schedule(admin, { timeZone: undefined });
    expect(created).toMatchObject({ timeZone: "Asia/Tokyo", followsOrganization: true });
    const { body: fixed } = await schedule(admin);
    await zoned("America/New_York");
    const listed = (await call(admin, "GET /report-schedules")).body.data;
    expect(listed).toMatchObject([
      { id: created.id, timeZone: "America/New_York", followsOrganization: true },
      { id: fixed.id, timeZone: "UTC", followsOrganization: false },
    ]);
    expect(new Date(listed[0].nextRunAt).getUTCHours()).toBeGreaterThanOrEqual(10);
    // Three hours into Monday of UTC it is still Sunday there: an entry that the week of New York has, and not that of UTC.
    await appendEvents([{ orgId, action: "user.login.failed", timestamp: new Date("2026-11-16T03:00:00Z") }]);
    await dueAt(created.id, new Date("2026-11-16T11:00:00Z"));
    await runDueReports(NOW);
    const [mailed] = await deliveriesOf(admin.id);
    expect(mailed?.subject).toContain(
      "9 Nov 2026 to 15 Nov 2026 (America/New_York, the time zone of the organization)",
    );
    expect(JSON.stringify(mailed)).toContain("Entries: 1");
    expect((await zoned(null)).body.timeZone).toBeNull();
    expect((await stored(created.id))?.timeZone).toBe("UTC");
    const changes = (await auditRows(orgId)).filter(({ action }) => action === "organization.update");
    expect(changes.map(({ details }) => details)).toEqual([
      { before: { timeZone: null }, after: { timeZone: "Asia/Tokyo" } },
      { before: { timeZone: "Asia/Tokyo" }, after: { timeZone: "America/New_York" } },
      { before: { timeZone: "America/New_York" }, after: { timeZone: null } },
    ]);
  });

  it("is not sent before its own Monday if the time zone was changed externally", async () => {
    const admin = await createUser();
    const { body: created } = await schedule(admin, { timeZone: undefined });
    await changeRows(organizations, { id: admin.orgId as string }, { timeZone: "Pacific/Honolulu" });
    const at = new Date("2026-11-16T06:00:00Z");
    await changeRows(
      reportSchedules,
      { id: created.id },
      { nextRunAt: at, createdAt: new Date("2026-11-14T00:00:00Z") },
    );
    await runDueReports(at);
    expect(await deliveriesOf(admin.id)).toEqual([]);
    expect(await stored(created.id)).toMatchObject({
      timeZone: "Pacific/Honolulu",
      nextRunAt: new Date("2026-11-16T16:00:00Z"),
    });
  });

  it("rejects an invalid organization time zone and a viewer's change", async () => {
    const admin = await createUser();
    const zoned = (token: TestUser, timeZone: string) =>
      call(token, `PATCH /orgs/organizations/${admin.orgId}`, { timeZone });
    expect((await zoned(admin, "Mars/Olympus")).body.errors[0].path).toBe("timeZone");
    const viewer = await createUser({ orgId: admin.orgId as string, role: "org_viewer" });
    expect((await zoned(viewer, "UTC")).status).toBe(403);
  });

  it("ends when deleted, by its owner only", async () => {
    const [admin, colleague] = [await createUser(), await createUser()];
    const { body: created } = await schedule(admin);
    const remove = (token: TestUser) => call(token, `DELETE /report-schedules/${created.id}`);
    expect((await remove(colleague)).status).toBe(404);
    expect((await call(colleague, "GET /report-schedules")).body.data).toEqual([]);
    expect((await remove(admin)).status).toBe(204);
    expect(await stored(created.id)).toBeUndefined();
    const actions = (await auditRows(admin.orgId as string)).map(({ action }) => action);
    expect(actions).toEqual(["report_schedule.create", "report_schedule.delete"]);
  });

  it("is also emailed to the platform operator for one organization", async () => {
    const [operator, org] = [await createUser({ role: "system_admin" }), await createOrg()];
    await appendEvents([{ orgId: org.id, action: "user.login.failed", timestamp: inTheWeek }]);
    const { body: created, status } = await schedule(operator, { orgId: org.id });
    expect(status).toBe(201);
    await dueAt(created.id, new Date("2026-11-16T06:00:00Z"));
    await runDueReports(NOW);
    const [mailed, ...others] = await deliveriesOf(operator.id);
    expect([mailed?.orgId, others]).toEqual([org.id, []]);
    expect(JSON.stringify(mailed)).toContain("Entries: 1");
    expect((await schedule(operator, { orgId: randomUUID() })).status).toBe(404);
  });

  it("rejects an invalid time zone", async () => {
    const admin = await createUser();
    expect((await schedule(admin, { timeZone: "Mars/Olympus" })).body.errors[0].path).toBe("timeZone");
  });
});

it("an email shows local times, its file UTC, and both omit empty sections", () => {
  const { text, html, csv } = render({
    title: "User activity",
    covers: "Fabrikam",
    timeZone: "Europe/Berlin",
    figures: [],
    tables: [{ title: "Active users", head: [], rows: [["System", "", 1005, new Date("2026-11-22T22:58:52.494Z")]] }],
    link: "https://trailmark.example/reports",
    settings: "https://trailmark.example/settings/notifications",
    csvName: "activity.csv",
  });
  expect(text).toContain("- System, 1,005, 22 Nov 2026, 23:58:52");
  expect(html).toContain(">22 Nov 2026, 23:58:52</td>");
  expect(csv?.content).toContain("System,,1005,2026-11-22T22:58:52.494Z");
});

it("an email escapes markup in names", () => {
  const written = {
    title: "User activity",
    covers: "<script>alert(1)</script>",
    timeZone: "Europe/Berlin",
    figures: [["Entries", 1]] as [string, number][],
    tables: [{ title: "Active users", head: ["User"], rows: [['<img src=x onerror="x">'], ["=1+1"]] }],
    link: "https://trailmark.example/reports?a=1&b=2",
    settings: "https://trailmark.example/settings/notifications",
    csvName: "activity.csv",
  };
  const { html = "", csv } = render(written);
  expect(html).not.toMatch(/<script|<img/);
  expect(csv?.content).toContain("'=1+1");
});
