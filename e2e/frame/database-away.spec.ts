import { SignInPage } from "@/e2e/pages/sign-in";
import { withDatabase } from "@/e2e/support/database";
import { DESK, expect, expectAccessible, expectNoSidewaysScroll, PHONE, test } from "@/e2e/support/fixtures";
import { startFresh } from "@/e2e/support/server";
import { ADMIN, freePort } from "@/testing/server";

let fresh: Awaited<ReturnType<typeof startFresh>>;
test.beforeAll(async () => {
  fresh = await startFresh("e2e-database-away", await freePort());
});
test.afterAll(() => fresh.discard());

/** The server's role is let in no more, and what it has open is closed. */
const takeAway = () =>
  withDatabase(async (sql) => {
    await sql`ALTER ROLE trailmark_app NOLOGIN`;
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'trailmark_app'`;
  }, fresh.dataDir);
const giveBack = () => withDatabase((sql) => sql`ALTER ROLE trailmark_app LOGIN`, fresh.dataDir);

test("a page shows a message while the database is down, and opens once it is back", async ({ guest }) => {
  await guest.goto(`${fresh.base}/login`);
  await new SignInPage(guest).fill(ADMIN.email, ADMIN.password);
  await expect(guest.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
  await takeAway();
  for (const path of ["/login", "/devices?search=WS"]) {
    const answer = await guest.goto(`${fresh.base}${path}`);
    expect([answer?.status(), answer?.headers()["retry-after"]]).toEqual([503, "5"]);
    await expect(guest).toHaveTitle("The database is away · Trailmark");
    await expect(guest.getByRole("heading", { level: 1, name: "The database is away" })).toBeVisible();
  }
  for (const colorScheme of ["light", "dark"] as const) {
    await guest.emulateMedia({ colorScheme });
    await expectAccessible(guest);
  }
  await guest.setViewportSize(PHONE);
  await expectNoSidewaysScroll(guest);
  await giveBack();
  await expect(guest.getByRole("heading", { level: 1, name: "Devices" })).toBeVisible();
  await expect(guest).toHaveURL(`${fresh.base}/devices?search=WS`);

  await guest.setViewportSize(DESK);
  await takeAway();
  await guest.getByRole("link", { name: "Scripts", exact: true }).click();
  await expect(guest.getByRole("heading", { level: 1, name: "The database is away" })).toBeVisible();
  await giveBack();
  await expect(guest.getByRole("heading", { level: 1, name: "Scripts" })).toBeVisible();
});
