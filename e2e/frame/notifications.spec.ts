import { Webhook } from "standardwebhooks";
import { NotificationsPage } from "@/e2e/pages/notifications";
import { Api } from "@/e2e/support/api";
import { withDatabase } from "@/e2e/support/database";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";
import { tamper } from "@/e2e/support/tamper";
import { startHttpDouble } from "@/testing/http-double";

const unique = (name: string) => `${name} ${crypto.randomUUID().slice(0, 8)}`;

/**
 * An open alarm of an organization, and the notification that the next evaluation would make of it: both at once and
 * beside no evaluation, which would resolve a notification whose alarm it has not seen.
 */
const raise = (orgId: string) =>
  withDatabase((sql) =>
    sql.begin(async (tx) => {
      await tx`SELECT pg_advisory_xact_lock(hashtextextended('trailmark notifications', 0))`;
      await tx`INSERT INTO audit_alarms (org_id, raised_at, source, breaks) VALUES (${orgId}, now(), 'nightly', '[]')
        ON CONFLICT DO NOTHING`;
      await tx`INSERT INTO notifications (org_id, kind, detail, since, observed_at, raised_at, raised_in)
        VALUES (${orgId}, 'chain.broken', ${sql.json({ seq: 7 })}, now(), now(), now(),
          (SELECT coalesce(max(greatest(raised_in, resolved_in)), 0) + 1 FROM notifications))
        ON CONFLICT DO NOTHING`;
    }),
  );

const raised: string[] = [];
/** Other tests share the server: no alarm stays behind. */
test.afterEach(async () => {
  for (const orgId of raised.splice(0)) {
    await tamper(orgId, "success");
    await withDatabase((sql) => sql`DELETE FROM audit_alarms WHERE org_id = ${orgId}`);
  }
});

test("a broken chain appears under the bell until read", async ({ page, request }) => {
  const name = unique("Fabrikam");
  const api = await Api.signIn(request);
  const orgId = await api.makeChain(name);
  raised.push(orgId);
  // The chain is verified in the background as well.
  await tamper(orgId);
  await raise(orgId);
  const notifications = new NotificationsPage(page);
  await page.goto(`/?orgId=${orgId}`);
  await expect(notifications.bell).toHaveAccessibleName(/Notifications, \d+ unread/);
  await notifications.bell.click();
  const item = notifications.item(`The audit chain of ${name} is broken`);
  await expect(item).toContainText("Unread");
  await expectAccessible(page);
  await item.getByRole("button", { name: /^Mark as read/ }).click();
  await expect(item).not.toContainText("Unread");
  await item.getByRole("link", { name: /is broken/ }).click();
  await expect(page).toHaveURL(new RegExp(`/integrity\\?orgId=${orgId}`));
});

test("an open notifications page shows new ones", async ({ page, request }) => {
  const name = unique("Wingtip");
  const orgId = await (await Api.signIn(request)).makeChain(name);
  raised.push(orgId);
  const notifications = new NotificationsPage(page);
  await page.clock.install();
  await page.goto("/notifications");
  await expect(page.getByRole("heading", { level: 1, name: "Notifications" })).toBeVisible();
  await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
  await tamper(orgId);
  await raise(orgId);
  await page.clock.fastForward(61_000);
  await expect(notifications.item(`The audit chain of ${name} is broken`)).toContainText("Unread");
  await expect(notifications.bell).toHaveAccessibleName(/Notifications, \d+ unread/);
});

test("create and test a webhook, view its deliveries and resend a signed message", async ({ page, request }) => {
  const receiver = await startHttpDouble();
  const name = unique("Desk");
  // In an organization that no other test has, whose broken chains would show here.
  const organization = unique("Desk of");
  await (await Api.signIn(request)).makeOrganization(organization);
  const notifications = new NotificationsPage(page);
  await notifications.openSettings("webhooks");
  const secret = await notifications.createWebhook(name, receiver.url, organization);
  receiver.answer = () => ({ status: 410 });
  await notifications
    .rowOf("Webhooks", name)
    .getByRole("button", { name: /^Send a test message/ })
    .click();
  const logged = notifications.rowOf("Delivery log", name).filter({ hasText: "notification.test" });
  await expect(logged).toContainText("Failed");
  await expect(logged).toContainText("The endpoint answered 410.");
  await page.reload();
  receiver.answer = () => ({ status: 200 });
  await notifications
    .rowOf("Webhooks", name)
    .getByRole("button", { name: `Enable ${name}` })
    .click();
  await expect(notifications.rowOf("Webhooks", name)).toContainText("Enabled");
  await logged.getByRole("button", { name: /^Resend/ }).click();
  await expect(logged).toContainText("Delivered");
  const messages = receiver.received.map(({ text, headers }) =>
    new Webhook(secret).verify(text, headers as Record<string, string>),
  );
  expect(messages).toContainEqual(expect.objectContaining({ type: "notification.test" }));
  await expectAccessible(page);
  await notifications
    .rowOf("Webhooks", name)
    .getByRole("button", { name: `Delete ${name}` })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete webhook" }).click();
  await expect(notifications.rowOf("Webhooks", name)).toHaveCount(0);
  await receiver.close();
});

test("editing a webhook keeps changes made elsewhere in the meantime", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const name = unique("Kept");
  const url = "https://desk.example/hook";
  const orgId = await api.makeOrganization(name);
  const { id } = await api.call("POST", "/webhooks", { orgId, name, url, kinds: ["chain.broken"] });
  const notifications = new NotificationsPage(page);
  await notifications.openSettings("webhooks");
  await notifications
    .rowOf("Webhooks", name)
    .getByRole("button", { name: `Edit ${name}` })
    .click();
  await api.call("PATCH", `/webhooks/${id}`, { kinds: ["chain.broken", "denials.many"] });
  const dialog = page.getByRole("dialog", { name: `Edit ${name}` });
  await dialog.getByRole("textbox", { name: "Name" }).fill(`${name} again`);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  const { data } = await api.call<{ data: { id: string }[] }>("GET", `/webhooks?orgId=${orgId}`);
  expect(data.find((webhook) => webhook.id === id)).toMatchObject({
    name: `${name} again`,
    kinds: ["chain.broken", "denials.many"],
  });
});

test("select notifications, and schedule and delete a report", async ({ page }) => {
  const notifications = new NotificationsPage(page);
  await notifications.openSettings();
  const denials = page.getByRole("checkbox", { name: "Many denials in the product" });
  await expect(denials).not.toBeChecked();
  await denials.click();
  await expect(denials).toBeChecked();
  await expect(denials).toBeEnabled();
  await page.reload();
  await expect(denials).toBeChecked();
  await denials.click();
  await expect(denials).not.toBeChecked();
  await page.getByRole("tab", { name: "Scheduled reports" }).click();
  await page.getByRole("button", { name: "Schedule report" }).click();
  const dialog = page.getByRole("dialog", { name: "Schedule report" });
  const zone = dialog.getByRole("combobox", { name: "Time zone" });
  await zone.fill("Mars/Olympus");
  await expect(page.getByRole("option")).toHaveCount(0);
  await zone.fill("paris");
  await page.getByRole("option", { name: "Europe/Paris" }).click();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Schedule report" }).click();
  const row = notifications.rowOf("Reports by e-mail", "User activity");
  await expect(row).toContainText("Weekly, Europe/Paris");
  await row.getByRole("button", { name: /^Delete the schedule/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete schedule" }).click();
  await expect(row).toHaveCount(0);
});
