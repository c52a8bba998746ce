import { connectAgent } from "@/e2e/support/agent";
import { Api } from "@/e2e/support/api";
import { withDatabase } from "@/e2e/support/database";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

test("edit a custom field in place, also by keyboard, and see it in the device's history", async ({
  page,
  request,
}) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("In place");
  const { deviceId } = await api.enroll(orgId, "WS-PLACE");
  await page.goto(`/devices/${deviceId}`);
  await expect(page.getByRole("heading", { level: 1, name: "WS-PLACE" })).toBeVisible();
  await expect(page).toHaveTitle("WS-PLACE · Trailmark");

  const name = `Bought ${crypto.randomUUID().slice(0, 8)}`;
  await api.call("POST", "/custom-fields", { orgId, name, fieldKey: "bought_on", type: "date" });
  await page.reload();
  const edit = page.getByRole("button", { name: `Edit ${name}` });
  await edit.click();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(edit).toBeFocused();
  await page.keyboard.press("Enter");
  await page.getByLabel(name, { exact: true }).fill("2026-02-15");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("15 Feb 2026")).toBeVisible();
  await expect(edit).toBeFocused();
  // The history is read once, and what was recorded is in the log a moment later.
  const path = `/audit-logs?orgId=${orgId}&resourceId=${deviceId}&actions=device.custom_fields.update`;
  const stored = async () => (await api.call<{ pagination: { total: number } }>("GET", path)).pagination.total;
  await expect.poll(stored).toBe(1);

  await page.getByRole("tab", { name: "Audit history" }).click();
  const history = page.getByRole("table", { name: /audit entries about WS-PLACE/ });
  await expect(history.getByRole("link", { name: /custom fields of WS-PLACE/ })).toBeVisible();
  await page.getByRole("link", { name: "All audit entries about WS-PLACE" }).click();
  await expect(page).toHaveURL(new RegExp(`resourceId=${deviceId}`));
});

test("editing a field keeps changes made elsewhere in the meantime", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Two windows");
  const name = `License ${crypto.randomUUID().slice(0, 8)}`;
  const { id } = await api.call("POST", "/custom-fields", { orgId, name, fieldKey: "license", type: "text" });
  await page.goto(`/settings/custom-fields?orgId=${orgId}`);
  await page.getByRole("button", { name: `Edit ${name}` }).click();
  await api.call("PATCH", `/custom-fields/${id}`, { secret: true });
  const dialog = page.getByRole("dialog", { name: `Edit ${name}` });
  await dialog.getByRole("textbox", { name: "Name" }).fill(`${name} key`);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  expect(await api.call("GET", `/custom-fields/${id}`)).toMatchObject({ name: `${name} key`, secret: true });
});

test("number fields accept a decimal point or sign and do not send invalid input", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Numbers");
  const { deviceId } = await api.enroll(orgId, "WS-NUMBERS");
  const name = `Weight ${crypto.randomUUID().slice(0, 8)}`;
  await api.call("POST", "/custom-fields", { orgId, name, fieldKey: "weight", type: "number" });
  await page.goto(`/devices/${deviceId}`);
  const edit = page.getByRole("button", { name: `Edit ${name}` });
  const field = page.getByRole("listitem").filter({ hasText: name });
  const input = page.getByLabel(name, { exact: true });
  const type = async (text: string) => {
    await edit.click();
    await input.clear();
    await input.pressSequentially(text);
  };
  for (const number of ["1.5", "0.5", "-5"]) {
    await type(number);
    await expect(input).toHaveValue(number);
    await page.keyboard.press("Enter");
    await expect(field).toHaveText(`${name}${number}Edit`);
  }
  await type("-");
  await page.keyboard.press("Enter");
  await expect(field).toContainText("A number, such as 12 or -1.5");
  await page.keyboard.press("Escape");
  await expect(field).toHaveText(`${name}-5Edit`);
  await type("");
  await page.keyboard.press("Enter");
  await expect(field).toContainText("Not set");
});

test("a field with a duplicate choice offers it once", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Twice");
  const { deviceId } = await api.enroll(orgId, "WS-TWICE");
  const name = `Rack ${crypto.randomUUID().slice(0, 8)}`;
  const field = { orgId, name, fieldKey: "rack", type: "dropdown", options: ["A", "B"] };
  const { id } = await api.call<{ id: string }>("POST", "/custom-fields", field);
  await withDatabase((sql) => sql`UPDATE custom_field_definitions SET options = '["A","B","A"]' WHERE id = ${id}`);
  await page.goto(`/devices/${deviceId}`);
  await page.getByRole("button", { name: `Edit ${name}` }).click();
  await page.getByRole("combobox", { name, exact: true }).click();
  await expect(page.getByRole("option")).toHaveText(["A", "B"]);
  await page.getByRole("option", { name: "B", exact: true }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: name })).toHaveText(`${name}BEdit`);
});

test("create a field, give it a value, and delete both after their count is shown", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const { deviceId } = await api.enroll(await api.makeOrganization("Deleting"), "WS-DELETES");
  const name = `Gone ${crypto.randomUUID().slice(0, 8)}`;
  await page.goto("/settings/custom-fields");
  await page.getByRole("button", { name: "New field" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Create field" }).click();
  const row = page.getByRole("row").filter({ hasText: name });
  await expect(row).toContainText("All organizations");
  await page.goto(`/devices/${deviceId}`);
  await page.getByRole("button", { name: `Edit ${name}` }).click();
  await page.getByRole("textbox", { name }).fill("Top");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: name })).toContainText("Top");
  await page.goto("/settings/custom-fields");
  const dialog = page.getByRole("dialog", { name: `Delete ${name}` });
  await row.getByRole("button", { name: `Delete ${name}` }).click();
  await expect(dialog).toContainText("1 device holds a value of this field. The values are deleted with it");
  await dialog.getByRole("button", { name: "Delete field" }).click();
  await expect(row).toHaveCount(0);
});

test("the enrollment dialog shows the key and the one-line command", async ({ page, request }) => {
  const orgId = await (await Api.signIn(request)).makeOrganization("Enrolling");
  await page.goto(`/devices?orgId=${orgId}`);
  const making = page.getByRole("dialog", { name: "New enrollment key" });
  await page.getByRole("button", { name: "Enroll a device" }).click();
  await making.getByRole("button", { name: "Create key" }).click();
  const made = page.getByRole("dialog", { name: "Enroll devices of Enrolling" });
  // Where the programs were not built, the dialog says so.
  await expect(made).toContainText(/printf %s tme_\S+ \| sudo sh|npm run agent:build/);
  await expect(made).toContainText("Shown only once.");
  await expectAccessible(page);
});

test("revoke an agent, release its ID and enroll the machine again", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Revoking");
  const { deviceId, agentId, token } = await api.enroll(orgId, "WS-REVOKED");
  const beat = () =>
    request.post(`/api/v1/agents/${agentId}/heartbeat`, { headers: { Authorization: `Bearer ${token}` }, data: {} });
  const { key: enrollmentKey } = await api.call("POST", "/enrollment-keys", { orgId });
  const enrollAgain = () =>
    request.post("/api/v1/agents/enroll", { data: { enrollmentKey, agentId, hostname: "WS-REVOKED", os: "windows" } });
  expect((await beat()).status()).toBe(200);

  await page.goto(`/devices/${deviceId}`);
  const access = page.getByRole("region", { name: "Agent access" });
  await access.getByRole("button", { name: "Revoke agent" }).click();
  const revoking = page.getByRole("dialog", { name: "Revoke the agent of WS-REVOKED" });
  await revoking.getByRole("button", { name: "Revoke agent" }).click();
  await expect(access).toContainText("Agent: not allowed.");
  await expect(access.getByRole("button", { name: "Revoke agent" })).toHaveCount(0);
  expect((await beat()).status()).toBe(401);
  expect((await enrollAgain()).status()).toBe(409);

  await access.getByRole("button", { name: "Allow re-enrollment" }).click();
  const releasing = page.getByRole("dialog", { name: "Allow re-enrollment of WS-REVOKED" });
  await releasing.getByRole("button", { name: "Allow re-enrollment" }).click();
  await expect(access).toContainText("Re-enrollment is allowed until");
  expect((await enrollAgain()).status()).toBe(201);
  await page.reload();
  await expect(access).toContainText("Agent: allowed.");
});

for (const [where, pathOf] of [
  ["alone", (deviceId: string) => `/devices/${deviceId}`],
  ["in the list", (_: string, orgId: string) => `/devices?orgId=${orgId}`],
] as const)
  test(`an open page shows that a device went offline, ${where}`, async ({ page, request, baseURL }) => {
    const api = await Api.signIn(request);
    const orgId = await api.makeOrganization("Left open");
    const joined = await api.enroll(orgId, "WS-OPEN");
    const isOnline = async () => (await api.call<{ online: boolean }>("GET", `/devices/${joined.deviceId}`)).online;
    const tag = (state: string) => page.locator("#content [data-tone]", { hasText: new RegExp(`^${state}$`) }).first();
    await page.clock.install();
    const disconnect = await connectAgent(baseURL as string, joined, () => null);
    await expect.poll(isOnline).toBe(true);
    await page.goto(pathOf(joined.deviceId, orgId));
    await expect(tag("Online")).toBeVisible();
    disconnect();
    await expect.poll(isOnline).toBe(false);
    await page.clock.fastForward(61_000);
    await expect(tag("Offline")).toBeVisible();
  });

test("truncated lists say that they hold only the newest or most frequent", async ({ page, viewer, request }) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Long lists");
  const { deviceId } = await api.enroll(orgId, "WS-LONG");
  // Of yesterday: other tests look at the newest entries of all organizations.
  const yesterday = Date.now() - 24 * 3_600_000;
  const device = { resourceType: "device", resourceId: deviceId, resourceName: "WS-LONG" };
  const events = Array.from({ length: 60 }, (_, n) => ({
    ...{ ...device, actorType: "user", action: `device.step.${n}` },
    timestamp: new Date(yesterday + n * 1_000).toISOString(),
  }));
  await api.write(orgId, events);
  const { data } = await api.call<{ data: { id: string }[] }>(
    "GET",
    `/audit-logs/logs?orgId=${orgId}&action=device.step`,
  );

  await page.goto(`/devices/${deviceId}`);
  await page.getByRole("tab", { name: "Audit history" }).click();
  await expect(page.getByText("These are the newest 50.")).toBeVisible();
  await page.goto(`/audit/${data[0]?.id}`);
  await expect(page.getByRole("list", { name: "On the same resource, the newest 10" })).toBeVisible();
  await viewer.open(`?orgId=${orgId}&action=device.step`);
  await viewer.openFacets();
  await expect(viewer.facets.getByRole("button", { name: "50 most frequent" })).toHaveCount(2);
});
