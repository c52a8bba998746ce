import { readFileSync } from "node:fs";
import { expect, expectAccessible, expectNoSidewaysScroll, test } from "@/e2e/support/fixtures";
import { startFresh } from "@/e2e/support/server";
import { freePort } from "@/testing/server";

const NO_ADMIN = { TRAILMARK_ADMIN_EMAIL: "", TRAILMARK_ADMIN_PASSWORD: "" };
let fresh: Awaited<ReturnType<typeof startFresh>>;
test.beforeAll(async () => {
  test.setTimeout(120_000); // a cluster is created and migrated
  fresh = await startFresh("e2e-first-run", await freePort(), NO_ADMIN);
});
test.afterAll(() => fresh.discard());

/** The one-time token that the console of the fresh server shows. */
const token = (): string => /one-time token (\S+)/.exec(readFileSync(fresh.logFile, "utf8"))?.[1] ?? "";

test("the first run asks for the console's token, makes the first administrator and closes behind itself", async ({
  guest,
}) => {
  await guest.goto(fresh.base);
  await expect(guest).toHaveURL(`${fresh.base}/setup`);
  await expect(guest).toHaveTitle("First run · Trailmark");
  for (const colorScheme of ["light", "dark"] as const) {
    await guest.emulateMedia({ colorScheme });
    await expectAccessible(guest);
  }
  await guest.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(guest);
  await expectNoSidewaysScroll(guest);

  const field = (label: string) => guest.getByLabel(label, { exact: true });
  await field("Your company").fill("Acme MSP");
  await field("Your name").fill("Ada Lovelace");
  await field("E-mail").fill("ada@acme.example");
  await field("Password").fill("a long enough password");
  await field("Setup token").fill("not the token");
  await guest.getByRole("button", { name: "Set up Trailmark" }).click();
  await expect(guest.getByText("That is not the token that the console shows.")).toBeVisible();
  await expectAccessible(guest);

  await field("Setup token").fill(token());
  await guest.getByRole("button", { name: "Set up Trailmark" }).click();
  await expect(guest.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
  await expect(guest.getByRole("link", { name: /Ada Lovelace signed in/ })).toBeVisible();
  await guest.goto(`${fresh.base}/setup`);
  await expect(guest).not.toHaveURL(/setup/);
});
