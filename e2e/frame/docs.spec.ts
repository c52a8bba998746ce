import { expect, test } from "@/e2e/support/fixtures";

test("anyone can find an operation in the API reference without external requests", async ({ guest }) => {
  const faults: string[] = [];
  guest.on("pageerror", (error) => faults.push(error.message));
  guest.on("console", (line) => {
    if (line.text().includes("Content Security Policy")) faults.push(line.text());
  });
  const hosts = new Set<string>();
  guest.on("request", (request) => {
    if (/^(https?|wss?):/.test(request.url())) hosts.add(new URL(request.url()).host);
  });
  await guest.goto("/docs");
  await guest.getByRole("button", { name: "audit-logs Open Group" }).click();
  await guest.getByRole("button", { name: /^Submit audit events .* POST$/ }).click();
  await expect(guest.getByRole("heading", { name: /^Submit audit events / })).toBeInViewport();
  expect(faults).toEqual([]);
  expect([...hosts]).toEqual([new URL(guest.url()).host]);
});

test("trying a request in the API reference does not use the reader's session", async ({ page }) => {
  await page.goto("/docs#tag/me/GET/me");
  await page.getByRole("button", { name: "Test Request (get /me)" }).click();
  const answered = page.waitForResponse("**/api/v1/me");
  await page.getByRole("button", { name: /^Send get request/ }).click();
  expect((await answered).status()).toBe(401);
});
