import { gzipSync } from "node:zlib";
import type { BrowserContext, Page } from "playwright/test";
import { type Bench, type Figure, figuresOf, interleave } from "@/bench/harness";
import { startBuiltServer } from "@/bench/http";
import type { World } from "@/bench/world";
import { createOrg, createUser, type TestUser } from "@/testing/factories";

const MAX_SCRIPTS_KB = 230;
const MAX_PROOF_PAGE_KB = 60;
const SETTLE_MS = 2_000;
const FIELD = "Search the audit log";

/** A signed-in browser window; the sign-in writes an empty organization's only rows. */
async function signIn(context: BrowserContext, base: string, { email, password }: TestUser): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${base}/login`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  return page;
}

/** From the request to the first visible entry and a working search field. */
async function interactiveMs(page: Page, base: string): Promise<number> {
  await page.goto("about:blank");
  const started = performance.now();
  await page.goto(`${base}/`, { waitUntil: "commit" });
  await page
    .getByRole("table", { name: /Audit entries/ })
    .getByRole("link")
    .first()
    .waitFor();
  await page.locator("body:not([aria-busy])").getByLabel(FIELD).waitFor();
  return performance.now() - started;
}

/** Gzipped KB of scripts loaded by a new window: until interactive, and afterwards. */
async function scriptsKb(page: Page, base: string): Promise<{ needed: number; followed: number }> {
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    sizes.push(response.body().then((body) => gzipSync(body).length / 1024));
  });
  const sum = async () => (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
  await interactiveMs(page, base);
  const needed = await sum();
  await page.waitForTimeout(SETTLE_MS);
  return { needed, followed: (await sum()) - needed };
}

/** Gzipped KB of the short link page of a proof, with script and style. */
const proofPageKb = async (base: string): Promise<number> =>
  gzipSync(await (await fetch(`${base}/p/x`)).arrayBuffer()).length / 1024;

/** Row 20: the viewer over the long history, against an empty organization's page. */
async function run(world: World): Promise<Figure[]> {
  const big = await world.history();
  const empty = await createOrg({ partnerId: world.partnerId });
  const server = await startBuiltServer(world);
  // Loaded only here: processes that measure memory must not contain them.
  const [{ chromium }, { findBrowser }] = await Promise.all([import("playwright/test"), import("@/testing/browser")]);
  const browser = await chromium.launch(await findBrowser(process.cwd()));
  try {
    const open = async (orgId: string) => {
      const person = await createUser({ orgId, partnerId: world.partnerId, role: "org_admin" });
      return signIn(await browser.newContext(), server.base, person);
    };
    const [long, short] = [await open(big), await open(empty.id)];
    const seen = await interleave(world.size.full ? 11 : 5, {
      value: () => interactiveMs(long, server.base),
      reference: () => interactiveMs(short, server.base),
    });
    const fresh = await long.context().newPage();
    const { needed, followed } = await scriptsKb(fresh, server.base);
    const proofKb = await proofPageKb(server.base);
    const sizes = {
      holds: needed < MAX_SCRIPTS_KB && proofKb < MAX_PROOF_PAGE_KB,
      detail: `${needed.toFixed(0)} KB of scripts, gzip; ${followed.toFixed(0)} KB follow; the page of a proof link ${proofKb.toFixed(0)} KB`,
    };
    const name = `viewer, first page interactive, ${world.size.rows} rows`;
    return [figuresOf("20", "ms")(name, { ...seen, ...sizes }, { max: 1.1 })];
  } finally {
    await browser.close();
    await server.stop();
  }
}

export const viewerBench: Bench = { rows: ["20"], title: "viewer", run };
