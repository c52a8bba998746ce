import { DocsPage } from "@/e2e/pages/docs";
import { Api } from "@/e2e/support/api";
import { expect, expectAccessible, expectNoSidewaysScroll, PHONE, test } from "@/e2e/support/fixtures";

test("an operation is tried with one's own key, which nothing keeps", async ({ guest, request }) => {
  const api = await Api.signIn(request);
  const { key } = await api.call<{ key: string }>("POST", "/api-keys", {
    name: "Reference",
    permissions: ["audit:read"],
  });
  const docs = new DocsPage(guest);
  await docs.open();
  await docs.operation("/me", "GET").click();
  await guest.getByLabel("Your API key or token").fill(key);
  await docs.send();
  await expect(docs.answer).toContainText("200");
  await expect(docs.answer).toContainText('"type": "api_key"');
  await expectAccessible(guest);
  await docs.operation("/audit-logs/events", "POST").click();
  await docs.send();
  await expect(docs.answer).toContainText("403");
  await expect(guest.getByRole("region", { name: "This request in cURL" })).not.toContainText(key);
  expect(guest.url()).not.toContain(key);
  const kept = await guest.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  expect(kept).not.toContain(key);
  await guest.setViewportSize(PHONE);
  await expectNoSidewaysScroll(guest);
  await expectAccessible(guest);
});

test("a form says what is missing before anything is sent", async ({ guest }) => {
  const docs = new DocsPage(guest);
  await docs.open();
  await docs.operation("/audit-logs/search", "GET").click();
  await docs.send();
  await expect(guest.getByText("Required", { exact: true })).toBeVisible();
  await expect(docs.answer).toBeHidden();
  await guest.getByRole("textbox", { name: "q", exact: true }).fill("device");
  await docs.send();
  await expect(docs.answer).toContainText("401");
});
