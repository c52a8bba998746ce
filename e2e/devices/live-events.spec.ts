import { LiveEventsPage } from "@/e2e/pages/live-events";
import { connectAgent } from "@/e2e/support/agent";
import { Api } from "@/e2e/support/api";
import { failing } from "@/e2e/support/faults";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

const LOG = {
  name: "System",
  displayName: "System",
  recordCount: 1,
  maxSize: 20_971_520,
  retentionDays: 0,
  lastWriteTime: "2026-11-20T14:02:31.000Z",
};
const ENTRY = {
  recordId: 42,
  timeCreated: "2026-11-20T14:02:31.000Z",
  level: "error",
  source: "Service Control Manager",
  eventId: 7031,
  message: "The Print Spooler service terminated unexpectedly.",
  category: "None",
  user: null,
  computer: "WS-LIVE",
  rawXml: "<Event><EventID>7031</EventID></Event>",
};

test("opening the live tab records nothing, shows an offline device, then logs and raw XML", async ({
  page,
  request,
  baseURL,
}) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Live");
  const joined = await api.enroll(orgId, "WS-LIVE");
  const live = new LiveEventsPage(page);
  await live.open(joined.deviceId, "WS-LIVE");
  await expect(page.getByRole("heading", { name: "Not read from WS-LIVE yet" })).toBeVisible();
  await page.goto(`/devices/${joined.deviceId}?tab=live&log=System&record=42`);
  await expect(page.getByRole("dialog").getByRole("button", { name: /^Query/ })).toBeVisible();
  const recorded = `/audit-logs/logs?orgId=${orgId}&actions=device.eventlogs.live_query`;
  expect(await api.call("GET", recorded)).toMatchObject({ data: [] });
  await live.open(joined.deviceId, "WS-LIVE");
  await live.query();
  await expect(live.failure("WS-LIVE is not connected")).toContainText("Last seen:");
  await expectAccessible(page);

  const disconnect = await connectAgent(baseURL as string, joined, ({ name }) =>
    name === "eventlogs.list"
      ? { ok: true, data: [LOG] }
      : { ok: true, data: name === "eventlogs.get" ? ENTRY : { events: [ENTRY], total: 1 } },
  );
  await live.retry();
  await live.log("System").click();
  await expect(live.entries("System")).toContainText("Print Spooler");
  await expectAccessible(page);
  await live.entries("System").getByRole("button").first().click();
  await expect(live.record).toContainText("<EventID>7031</EventID>");
  await expectAccessible(page);
  disconnect();
});

test("invalid and missing answers have separate messages, and a query can be canceled", async ({
  page,
  request,
  baseURL,
}) => {
  const api = await Api.signIn(request);
  const joined = await api.enroll(await api.makeOrganization("Live faults"), "WS-FAULT");
  let answer: { ok: true; data: unknown } | null = { ok: true, data: "nonsense" };
  let asked = 0;
  const disconnect = await connectAgent(baseURL as string, joined, () => {
    asked++;
    return answer;
  });
  const live = new LiveEventsPage(page);
  await live.open(joined.deviceId, "WS-FAULT");
  await live.query();
  await expect(live.failure("The agent on WS-FAULT could not answer")).toBeVisible();

  answer = null;
  await live.retry();
  // At the same time: the question lives for half a minute.
  await Promise.all([
    expect(page.getByText("Querying WS-FAULT for its logs")).toBeVisible(),
    expect(page.getByText(/^[1-9]\d*\.\d s$/)).toBeVisible(),
    expect.poll(() => asked).toBe(2),
  ]);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("Querying WS-FAULT for its logs")).toHaveCount(0);

  await page.reload();
  await live.query();
  await expect(page.getByText("Querying WS-FAULT for its logs")).toBeVisible();
  await expect.poll(() => asked).toBe(3);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("heading", { name: "Cancelled" })).toBeVisible();
  await page.getByRole("button", { name: "Try again" }).last().click();
  await expect.poll(() => asked).toBe(4);
  disconnect();
  await expect(live.failure("WS-FAULT disconnected during the query")).toBeVisible();
});

test("a device timeout has its own message with the last seen time", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const joined = await api.enroll(await api.makeOrganization("Live silence"), "WS-SILENT");
  const mend = await failing(page, "liveEvents.logs", {
    code: "agent_timeout",
    detail: "The agent did not answer within 30 seconds.",
    status: 504,
  });
  const live = new LiveEventsPage(page);
  await live.open(joined.deviceId, "WS-SILENT");
  await live.query();
  const failure = live.failure("WS-SILENT did not answer within 30 seconds");
  await expect(failure).toContainText("The device may be busy or the log large.");
  await expect(failure).toContainText("Last seen:");
  await expectAccessible(page);
  await mend();
  await live.retry();
  await expect(live.failure("WS-SILENT is not connected")).toBeVisible();
});

test("a canceled query has no answer, and Back restores filters with their answer", async ({
  page,
  request,
  baseURL,
}) => {
  const api = await Api.signIn(request);
  const joined = await api.enroll(await api.makeOrganization("Live back"), "WS-BACK");
  let isSilent = false;
  const disconnect = await connectAgent(baseURL as string, joined, ({ name, params }) => {
    if (name === "eventlogs.list") return { ok: true, data: [LOG] };
    return isSilent || params.source === "Slow" ? null : { ok: true, data: { events: [ENTRY], total: 1 } };
  });
  const live = new LiveEventsPage(page);
  await live.open(joined.deviceId, "WS-BACK");
  await live.query();
  await live.log("System").click();
  await expect(live.entries("System")).toContainText("Print Spooler");
  const source = page.getByRole("textbox", { name: "Source" });
  await source.fill("Slow");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("heading", { name: "Cancelled" })).toBeVisible();
  await expect(live.entries("System")).toHaveCount(0);
  await expect(page).toHaveURL(/liveSource=Slow/);
  await page.goBack();
  await expect(live.entries("System")).toContainText("Print Spooler");
  await expect(source).toHaveValue("");

  await expect(page.getByText(/^Answered /)).toBeVisible();
  isSilent = true;
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("heading", { name: "Cancelled" })).toBeVisible();
  await expect(live.entries("System")).toContainText("Print Spooler");
  disconnect();
});

test("the timeline shows live events only of the queried range", async ({ page, request, baseURL }) => {
  const api = await Api.signIn(request);
  const joined = await api.enroll(await api.makeOrganization("Live range"), "WS-RANGE");
  const timeCreated = new Date(Date.now() - 2 * 3_600_000).toISOString();
  const disconnect = await connectAgent(baseURL as string, joined, ({ name }) => ({
    ok: true,
    data: name === "eventlogs.list" ? [LOG] : { events: [{ ...ENTRY, timeCreated }], total: 1 },
  }));
  await page.goto(`/devices/${joined.deviceId}?tab=timeline&range=24h`);
  await page.getByRole("button", { name: "Query the device now" }).click();
  const rows = page.getByRole("table", { name: "Timeline of WS-RANGE" });
  await expect(rows).toContainText("Print Spooler");
  await expect(page.getByText(/^Answered .*: 1 event from the newest 50 of System\.$/)).toBeVisible();
  const choose = async (range: string) => {
    await page.getByRole("button", { name: /^Time range/ }).click();
    await page.getByRole("dialog", { name: "Time range" }).getByRole("button", { name: range }).click();
  };
  await choose("Last hour");
  await expect(rows).toContainText("WS-RANGE joined Live range");
  await expect(rows).not.toContainText("Print Spooler");
  await choose("Last 7 days");
  await expect(rows).not.toContainText("Print Spooler");
  await page.getByRole("button", { name: "Query the device now" }).click();
  await expect(rows).toContainText("Print Spooler");
  disconnect();
});
