import type { Page } from "playwright/test";
import { Api } from "@/e2e/support/api";
import { withDatabase } from "@/e2e/support/database";
import { expect, test } from "@/e2e/support/fixtures";

/** Rows that meet a condition, or so many different values of a column among them. */
type Counted = { where: string; of?: string };
const ALL = "true";
const DAY = `"timestamp" > now() - interval '24 hours'`;
const SECURITY = `action IN ('user.login', 'user.login.failed', 'user.permission.change', 'policy.update', 'policy.create',
  'agent.source.ip.changed')`;

/** How many rows of an organization's log meet a condition, by the table itself. */
const rowsOf = (orgId: string, { where, of = "*" }: Counted): Promise<number> =>
  withDatabase(async (sql) => {
    const found = await sql.unsafe(
      `SELECT count(${of})::int AS n FROM audit_logs WHERE org_id = '${orgId}' AND ${where}`,
    );
    return Number(found[0]?.n);
  });

/** The number that a text begins with, or that stands before a word in it. */
const numberIn = (text: string | null, before = ""): number =>
  Number((new RegExp(`([\\d,]+)\\s*${before}`).exec(text ?? "")?.[1] ?? "NaN").replaceAll(",", ""));

const figure = (page: Page, name: string) =>
  page
    .getByRole("term")
    .filter({ hasText: new RegExp(`^${name}$`) })
    .locator("xpath=following-sibling::*")
    .locator("> :first-child")
    .first();

/** An organization whose log and devices have something for every number. */
async function busyOrganization(api: Api) {
  const name = `Numbers ${crypto.randomUUID().slice(0, 8)}`;
  const orgId = await api.makeOrganization(name);
  const timestamp = new Date(Date.now() - 3_600_000).toISOString();
  const [jane, joe] = [crypto.randomUUID(), crypto.randomUUID()];
  const event = { actorType: "user", timestamp, resourceType: "thing", resourceName: "Thing" };
  const times = (n: number, one: { actorId: string; action: string; result?: string; actorType?: string }) =>
    Array.from({ length: n }, () => ({ ...event, ...one }));
  await api.write(orgId, [
    ...times(5, { actorId: jane, action: "user.login" }),
    ...times(2, { actorId: joe, action: "user.login.failed", result: "failure" }),
    ...times(3, { actorId: joe, action: "policy.update", result: "denied" }),
    ...times(4, { actorId: "scheduler", action: "policy.evaluate", actorType: "system" }),
    ...times(6, { actorId: "agent-1", action: "agent.eventlogs.submit", actorType: "agent" }),
    ...times(2, { actorId: jane, action: "data.export" }),
  ]);
  const here = await api.enroll(orgId, "WS-HERE");
  const gone = await api.enroll(orgId, "WS-GONE");
  await withDatabase(
    (sql) => sql`UPDATE devices SET last_seen_at = now() - interval '2 days' WHERE id = ${gone.deviceId}`,
  );
  const report = () => api.as(here.token).call("POST", `/agents/${here.agentId}/heartbeat`, {});
  return { orgId, name, report };
}

test("every number on a page matches the table", async ({ page, request }) => {
  test.slow();
  const api = await Api.signIn(request);
  const { orgId, name, report } = await busyOrganization(api);
  const same = async (what: string, shown: () => Promise<number>, counted: Counted) =>
    expect.poll(async () => (await shown()) - (await rowsOf(orgId, counted)), { message: what }).toBe(0);
  const shownIn = (label: string) => async () => numberIn(await figure(page, label).textContent());

  const listed = async () =>
    numberIn(
      await page
        .getByRole("status")
        .filter({ hasText: /\d entr/ })
        .first()
        .textContent(),
      "entr",
    );
  for (const [query, condition] of [
    ["", ALL],
    ["&result=denied", "result = 'denied'"],
    ["&result=failure", "result = 'failure'"],
    ["&actions=user.login", "action = 'user.login'"],
    ["&actorType=agent", "actor_type = 'agent'"],
  ] as const) {
    await page.goto(`/?orgId=${orgId}${query}`);
    await same(`audit log ${query}`, listed, { where: condition });
  }

  // A device is online for a minute and a half after it reported.
  await report();
  await page.goto(`/organizations?search=${encodeURIComponent(name)}`);
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name }) });
  await expect(row).toContainText("1 of 2 online");
  await expect(row).toContainText("1 offline for 24 h");
  const cell = (result: string) => row.locator(`a[href*="result=${result}"]`);
  await same("organizations, entries", async () => numberIn(await row.textContent(), "entries"), { where: ALL });
  await same("organizations, failures", async () => numberIn(await cell("failure").textContent()), {
    where: `result = 'failure' AND ${DAY}`,
  });
  await same("organizations, denied", async () => numberIn(await cell("denied").textContent()), {
    where: `result = 'denied' AND ${DAY}`,
  });

  await page.goto(`/organizations/${orgId}`);
  await same("organization, entries", shownIn("Entries kept"), { where: ALL });
  await same("organization, failures", shownIn("Failures, 24 hours"), { where: `result = 'failure' AND ${DAY}` });
  await same("organization, denied", shownIn("Denied, 24 hours"), { where: `result = 'denied' AND ${DAY}` });
  await expect(figure(page, "Growth")).toHaveText("Not known yet");

  await api.call("GET", `/audit-logs/integrity?orgId=${orgId}`);
  await page.goto(`/integrity?orgId=${orgId}`);
  await same("integrity, entries", shownIn("Entries in the chain"), { where: ALL });
  const read = await withDatabase(
    (sql) =>
      sql`SELECT rows_checked::int AS n FROM audit_verifications WHERE org_id = ${orgId} ORDER BY ran_at DESC LIMIT 1`,
  );
  await expect.poll(shownIn("Read by the last check")).toBe(Number(read[0]?.n));

  const people = "actor_type = 'user'";
  await page.goto(`/reports?orgId=${orgId}`);
  await same("report, entries by people", shownIn("Entries by people"), { where: people });
  await same("report, active users", shownIn("Active users"), { where: people, of: "DISTINCT actor_id" });
  await page.goto(`/reports?orgId=${orgId}&actors=all`);
  await same("report, entries", shownIn("Entries"), { where: ALL });
  await page.goto(`/reports?orgId=${orgId}&report=security`);
  await same("report, security events", shownIn("Security events"), { where: SECURITY });
  await same("report, failed sign-ins", shownIn("Failed sign-ins"), { where: "action = 'user.login.failed'" });
  await page.goto(`/reports?orgId=${orgId}&report=security&routine=all`);
  await same("report, with evaluations", shownIn("Security events"), {
    where: `(${SECURITY} OR action = 'policy.evaluate')`,
  });
  await page.goto(`/reports?orgId=${orgId}&report=compliance`);
  await same("report, exports", shownIn("Exports"), { where: "action = 'data.export'" });

  await report();
  await page.goto(`/devices?orgId=${orgId}`);
  const devices = page.getByRole("table", { name: "Devices" }).getByRole("row");
  await expect(devices.filter({ hasText: "Online" })).toHaveCount(1);
  await expect(devices.filter({ hasText: "Offline" })).toHaveCount(1);
});
