import { gzipSync } from "node:zlib";
import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { createOrg, createUser, type TestUser } from "@/db/testing";
import { findBrowser } from "@/e2e/browser";
import { type Bench, type Figure, figure, interleave } from "../harness";
import { startBuiltServer } from "../http";
import type { World } from "../world";

const MAX_SCRIPTS_KB = 300;
const SETTLE_MS = 2_000;
const FIELD = "Search the audit log";

/** A signed-in window of a person; the sign-in itself gives an empty organization its only rows. */
async function signIn(context: BrowserContext, base: string, { email, password }: TestUser): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${base}/login`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  return page;
}

/** From the request to the first entry on the screen and a search field that answers to the keyboard. */
async function interactiveMs(page: Page, base: string): Promise<number> {
  await page.goto("about:blank");
  const started = performance.now();
  await page.goto(`${base}/`, { waitUntil: "commit" });
  await page
    .getByRole("table", { name: /Audit entries/ })
    .getByRole("link")
    .first()
    .waitFor();
  const field = await page.getByLabel(FIELD).elementHandle();
  await page.waitForFunction((e) => !!e && Object.keys(e).some((key) => key.startsWith("__reactProps")), field);
  return performance.now() - started;
}

/** What the page's scripts weigh over the wire, in KB of gzip. */
async function scriptsKb(page: Page, base: string): Promise<number> {
  const sizes = new Map<string, Promise<number>>();
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    sizes.set(
      response.url(),
      response.body().then((body) => gzipSync(body).length),
    );
  });
  await page.goto(`${base}/`, { waitUntil: "load" });
  // The live stream keeps the network from ever being idle; what the page fetches on its own comes within this time.
  await page.waitForTimeout(SETTLE_MS);
  const bytes = await Promise.all(sizes.values());
  return bytes.reduce((sum, size) => sum + size, 0) / 1024;
}

/** Row 20: the viewer over the long history, against the same page of an organization that has nothing yet. */
async function run(world: World): Promise<Figure[]> {
  const big = await world.history();
  const empty = await createOrg({ partnerId: world.partnerId });
  const server = await startBuiltServer(world);
  const browser = await chromium.launch(await findBrowser(process.cwd()));
  try {
    const open = async (orgId: string) => {
      const person = await createUser({ orgId, partnerId: world.partnerId, role: "org_admin" });
      return signIn(await browser.newContext(), server.base, person);
    };
    const [long, short] = [await open(big), await open(empty.id)];
    const seen = await interleave(world.size.full ? 11 : 5, {
      long: () => interactiveMs(long, server.base),
      short: () => interactiveMs(short, server.base),
    });
    const fresh = await long.context().newPage();
    const kb = await scriptsKb(fresh, server.base);
    return [
      figure({
        row: "20",
        name: `viewer, first page interactive, ${world.size.rows} rows`,
        unit: "ms",
        value: seen.long,
        reference: seen.short,
        target: { max: 1.5 },
        holds: kb < MAX_SCRIPTS_KB,
        detail: `${kb.toFixed(0)} KB of scripts, gzip`,
      }),
    ];
  } finally {
    await browser.close();
    await server.stop();
  }
}

export const viewerBench: Bench = { rows: ["20"], title: "viewer", run };
