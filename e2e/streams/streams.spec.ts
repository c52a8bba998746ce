import { StreamsPage } from "@/e2e/pages/streams";
import { Api } from "@/e2e/support/api";
import { withDatabase } from "@/e2e/support/database";
import { expect, expectAccessibleInBoth, expectSound, test } from "@/e2e/support/fixtures";
import { type StreamReceiver, startStreamReceiver } from "@/testing/stream-receiver";
import { endArchiveDay } from "@/testing/streams/archive-day";
import { STORE, startStrictS3 } from "@/testing/streams/strict-s3";

/** Entries leave within seconds, later on a busy machine. */
const DELIVERED_MS = 60_000;

let receiver: StreamReceiver;
let store: Awaited<ReturnType<typeof startStrictS3>>;
test.beforeAll(async () => {
  receiver = await startStreamReceiver();
  store = await startStrictS3();
});
test.afterAll(async () => {
  await receiver.close();
  await store.close();
});

test("set up, repair, watch and change an HTTPS stream in the UI", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const customer = `Streamed ${crypto.randomUUID().slice(0, 8)}`;
  const orgId = await api.makeChain(customer);
  const name = `SIEM ${customer}`;
  const streams = new StreamsPage(page);

  await streams.begin("HTTPS");
  await page.getByRole("button", { name: "Next" }).click();
  await expect(streams.field("Name")).toBeFocused();
  await streams.fill({ Name: name, Address: "ftp://127.0.0.1/in" });
  await streams.next("What");
  await streams.chooseOrganization(customer);
  await page.getByLabel("Filter").fill("outcome:failure");
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText("outcome:failure is not a filter; try result:failure")).toBeVisible();
  await page.getByLabel("Filter").fill("");
  await expect(page.getByRole("region", { name: "The newest entries as they are sent" })).toContainText(orgId);
  await expectSound(page);
  await page.getByRole("button", { name: "Next" }).click();

  // A refusal of the destination leads back to the step that sets it.
  await expect(streams.step("Where")).toBeVisible();
  await expect(page.getByText("must be an https address")).toBeVisible();
  await streams.fill({ Address: receiver.url });
  await streams.next("What");
  await streams.next("Check");
  await expect(page.getByText(/^whsec_/)).toBeVisible();

  receiver.answer = () => ({ status: 401, body: "who are you?" });
  await streams.check();
  await expect(streams.checked("Sign-in")).toContainText("401");
  await expectSound(page);
  receiver.answer = () => ({ status: 204 });
  await streams.check();
  await expect(streams.checked("Acknowledged")).toBeVisible();
  await streams.next("From when");
  await page.getByRole("radio", { name: "The oldest entry", exact: true }).check();
  await expectSound(page);
  await streams.start(name);

  const batches = page.getByRole("table", { name: "Batches" });
  await expect(batches.getByText("Acknowledged").first()).toBeVisible({ timeout: DELIVERED_MS });
  await expect(page.getByText("Up to date")).toBeVisible({ timeout: DELIVERED_MS });
  expect(receiver.entriesOf(orgId).length).toBeGreaterThan(0);
  await expect(page.getByRole("link", { name: /created data stream|create data stream/i }).first()).toBeVisible();
  await expectSound(page);

  await streams.button("Replay").click();
  await streams.fill({ "Last entry": "1" });
  await streams.dialog(`Replay ${name}`).getByRole("button", { name: "Replay" }).click();
  await expect(batches.getByText("replay")).toBeVisible({ timeout: DELIVERED_MS });

  await streams.button("Edit").click();
  await streams.fill({ Filter: "result:denied" });
  await expectAccessibleInBoth(page);
  await streams.dialog(`Edit ${name}`).getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("result:denied", { exact: true })).toBeVisible();
  await streams.button("Pause").click();
  await expect(page.getByText("Paused", { exact: true })).toBeVisible();

  await page.goto("/settings/streams");
  await expect(page.getByRole("row").filter({ hasText: name })).toContainText("Paused");
  await page.goto(`/organizations?search=${encodeURIComponent(customer)}`);
  await expect(page.getByRole("row").filter({ hasText: customer })).toContainText(new URL(receiver.url).host);
});

test("set up an S3 archive in three steps and restore a range from it", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const customer = `Archived ${crypto.randomUUID().slice(0, 8)}`;
  const orgId = await api.makeChain(customer);
  const streams = new StreamsPage(page);
  await streams.begin("Archive to S3");
  const { bucket, region, accessKeyId, secret } = STORE;
  await streams.fill({ Name: customer, Bucket: bucket, Region: region, "Access key ID": accessKeyId });
  await streams.fill({ "Secret access key": secret });
  await page.getByText("More settings").click();
  await streams.fill({ Endpoint: store.url });
  await streams.next("What");
  await streams.chooseOrganization(customer);
  await expect(page.getByLabel("Hold for retention")).toHaveValue("30 days");
  await expect(page.getByLabel("Filter")).toHaveCount(0);
  await streams.next("Check");
  await streams.check();
  await expect(streams.checked("Acknowledged")).toContainText("The object was read back.");
  await streams.next("From when");
  await expect(page.getByText("An archive begins with the oldest entry")).toBeVisible();
  await streams.start(customer);
  await expect(page.getByText("Evidence bundles with signed manifests")).toBeVisible();
  await expect(page.getByText("At most 30 days")).toBeVisible();

  const [, streamId = ""] = /\/streams\/([\w-]+)/.exec(page.url()) ?? [];
  const archived = page.getByRole("table", { name: "Archived" });
  // Again and again: a sender at work puts the batch off once more, as it read the day before it ended.
  await expect(async () => {
    await withDatabase((sql) => endArchiveDay(sql, { streamId, orgId }));
    await page.goto(`/archived?orgId=${orgId}`);
    await expect(archived.getByRole("row").filter({ hasText: "still in the log" })).toBeVisible({ timeout: 3_000 });
  }).toPass({ timeout: DELIVERED_MS });
  await page.getByRole("button", { name: /^Verify entries 1 to / }).click();
  await expect(archived.getByText("Intact")).toBeVisible();
  await page.getByRole("button", { name: /^Restore entries 1 to / }).click();
  const open = page.getByRole("button", { name: /^Open restored entries 1 to / });
  await expect(open).toBeVisible({ timeout: DELIVERED_MS });
  await expectSound(page);
  await open.click();
  const restored = page.getByRole("dialog", { name: "Restored entries" });
  const searched = page.waitForResponse((response) => response.url().includes("retention"));
  await restored.getByLabel("Search restored entries").fill("retention");
  await searched;
  await expect(restored.getByRole("row").filter({ hasText: "changed the audit retention" }).first()).toBeVisible();
  await expectSound(page);
});
