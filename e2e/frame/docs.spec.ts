import { DocsPage } from "@/e2e/pages/docs";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

test("anybody finds an operation and reads how it is called in three languages", async ({ guest }) => {
  const docs = new DocsPage(guest);
  await docs.open();
  await expectAccessible(guest);
  await guest.getByLabel("Search operations").fill("audit events");
  await expect(docs.operation("/devices", "GET")).toHaveCount(0);
  await docs.operation("/audit-logs/events", "POST").click();
  await expect(docs.sample("cURL")).toContainText("curl -X POST");
  await guest.getByRole("tab", { name: "PowerShell" }).click();
  await expect(docs.sample("PowerShell")).toContainText("Invoke-RestMethod -Method Post");
  await guest.getByRole("tab", { name: "Go" }).click();
  await expect(docs.sample("Go")).toContainText("http.NewRequest");
  await expect(guest.getByRole("list", { name: "Body" })).toContainText("events[].actorType");
  await expectAccessible(guest);
});

test("people who are signed in read it beside the other pages", async ({ page }) => {
  await new DocsPage(page).open();
  await expect(page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Devices" })).toBeVisible();
});
