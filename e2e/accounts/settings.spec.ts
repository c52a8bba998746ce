import { Frame } from "@/e2e/pages/frame";
import { Api } from "@/e2e/support/api";
import { expect, test } from "@/e2e/support/fixtures";

/** Names of this run: tests share one server. */
const unique = (name: string) => `${name} ${crypto.randomUUID().slice(0, 8)}`;

test("create and rename an organization, find it in the switcher and audit each step", async ({
  settings,
  viewer,
  page,
}) => {
  const name = unique("Contoso");
  await settings.makeOrganization(name);
  await settings.row(name).getByRole("link", { name }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  await settings.dialog("Edit organization").getByLabel("Name").fill(`${name} Dental`);
  await settings.dialog("Edit organization").getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1, name: `${name} Dental` })).toBeVisible();

  await page.getByRole("button", { name: "Organization: All organizations" }).click();
  await settings
    .dialog("Organization")
    .getByRole("button", { name: `${name} Dental` })
    .click();
  await expect(page).toHaveURL(/orgId=/);
  await new Frame(page).nav("Audit log").click();
  await viewer.untilShown(/updated organization/);
  await viewer.entries(/updated organization/).click();
  await expect(viewer.drawer.getByRole("region", { name: "What changed" })).toContainText(`${name} Dental`);
});

test("an API key shows its last use, disabled creator and valid secrets, and is revoked", async ({
  settings,
  page,
  request,
}) => {
  const api = await Api.signIn(request);
  const name = unique("Left behind");
  const person = await api.createPerson({ role: "partner_admin" });
  const theirs = await Api.signIn(request, person);
  const { key } = await theirs.call<{ key: string }>("POST", "/api-keys", { name, permissions: ["audit:read"] });
  const statusOf = async (secret: string) =>
    (await request.get("/api/v1/me", { headers: { "X-API-Key": secret } })).status();
  expect(await statusOf(key)).toBe(200);
  await api.call("PATCH", `/users/${person.id}`, { disabled: true });

  await settings.open("api-keys", "API keys");
  await expect(settings.row(name)).toContainText("Created by a disabled user");
  await expect(settings.row(name)).toContainText("from 127.0.0.1");
  await page.getByRole("button", { name: `Rotate ${name}` }).click();
  await page.getByRole("button", { name: "Rotate key" }).click();
  const shown = await settings.dialog(`New secret of ${name}`).innerText();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(settings.row(name)).toContainText("Previous secret works until");
  const secrets = [key, /tmk_[\w-]{40}/.exec(shown)?.[0] ?? ""];
  for (const secret of secrets) expect(await statusOf(secret)).toBe(200);
  await page.getByRole("button", { name: `Revoke ${name}` }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await expect(settings.row(name)).toContainText("Revoked");
  for (const secret of secrets) expect(await statusOf(secret)).toBe(401);
});

test("a device appears with its logs once its agent has enrolled", async ({ settings, page, request, baseURL }) => {
  await settings.makeOrganization(unique("Northwind"));
  await settings.open("enrollment", "Enrollment");
  await page.getByRole("button", { name: "New enrollment key" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  const shown = settings.dialog(/Enroll devices of/);
  await expect(shown).toContainText(`${baseURL}`);
  const text = await shown.innerText();
  const enrollmentKey = /tme_[\w-]+/.exec(text)?.[0];
  const hostname = `WS-${crypto.randomUUID().slice(0, 6)}`;
  const joined = await request.post("/api/v1/agents/enroll", {
    data: { enrollmentKey, hostname, os: "Windows", osVersion: "11 24H2", agentVersion: "1.2.3" },
  });
  const { agentId, token }: { agentId: string; token: string } = await joined.json();
  await request.post(`/api/v1/agents/${agentId}/logs`, {
    headers: { Authorization: `Bearer ${token}` },
    data: {
      logs: [{ timestamp: new Date().toISOString(), level: "warn", component: "updater", message: "will retry" }],
    },
  });

  await page.goto(`/devices?search=${hostname}`);
  await page.getByRole("link", { name: hostname }).click();
  await expect(page.getByRole("heading", { level: 1, name: hostname })).toBeVisible();
  await page.getByRole("tab", { name: "Diagnostic logs" }).click();
  await expect(page.getByRole("row").filter({ hasText: "will retry" })).toContainText("Warning");
});
