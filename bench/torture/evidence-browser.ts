import type { Page } from "playwright/test";
import { VERDICT_WORD } from "@/server/evidence/bundle/verdict";
import { verifyBundle } from "@/server/evidence/bundle/verify";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { itemAt } from "@/server/ground/records";
import type { Mutation } from "@/testing/evidence/base-bundles";
import { trustIn } from "@/testing/evidence/bundles";
import { bytesOf, changedBundles, isGood, KEYS } from "./evidence";
import { withServer } from "./folder";
import type { Found, Line } from "./line";

/** C5 in a browser: the bundles judged by command line and Python, dropped on the auditor's page. */

/** Bundles swapped in the control: page and verifier get different ones. */
const SWAPPED = 20;

/** The page's verdict on a file. */
async function wordOf(page: Page, bundle: Mutation): Promise<string> {
  const file = { name: "bundle.ndjson", mimeType: "application/x-ndjson", buffer: bytesOf(bundle) };
  await page.getByLabel("Evidence bundle").setInputFiles(file);
  const verdict = page.getByRole("region", { name: "Verdict" });
  const word = await verdict.getByRole("heading", { level: 2 }).first().innerText();
  await verdict.getByRole("button", { name: "Check another bundle" }).click();
  return word;
}

type Judging = { page: Page; bundles: readonly Mutation[]; keys: readonly string[] };

/** Differences between page and verifier, and bad bundles that the page calls good; shown: the page's replacements. */
async function differences({ page, bundles, keys }: Judging, shown = bundles): Promise<string[]> {
  const trust = trustIn({ keys });
  const faults: string[] = [];
  for (const [i, bundle] of bundles.entries()) {
    const word = await wordOf(page, itemAt(shown, i));
    const { status } = await verifyBundle([bytesOf(bundle)], noteTools, { trust });
    const mayBeGood = keys.length > 0 && isGood(bundle.verdict);
    if (word !== VERDICT_WORD[status]) faults.push(`${bundle.name}: ${VERDICT_WORD[status]}, in the browser ${word}`);
    else if (isGood(status) && !mayBeGood) faults.push(`${bundle.name}: ${status}`);
  }
  return faults;
}

async function judge(page: Page, bundles: readonly Mutation[], found: Found): Promise<void> {
  const key = page.getByLabel("Verifier key or policy (optional)");
  // Without keys the page uses the server's own, which signed none of them.
  for (const keys of [[], KEYS]) {
    await key.fill(keys.join("\n"));
    found.faults(await differences({ page, bundles, keys }));
  }
  const good = bundles.filter(({ verdict }) => isGood(verdict));
  const bad = bundles.filter(({ verdict }) => verdict === "broken").slice(0, SWAPPED);
  const swapped = bad.map((_, i) => itemAt(good, i));
  const seen = await differences({ page, bundles: bad, keys: KEYS }, swapped);
  found.control("another file", seen.length, SWAPPED);
}

export const changedEvidenceInBrowser: Line = {
  id: "C5-browser",
  title: "changed evidence bundles, in a browser",
  ...{ quick: 1, full: 20, slow: true },
  run: ({ rounds, random }, found) =>
    withServer(async ({ base }) => {
      const [{ chromium }, { findBrowser }] = await Promise.all([
        import("playwright/test"),
        import("@/testing/browser"),
      ]);
      const browser = await chromium.launch(await findBrowser(process.cwd()));
      try {
        const page = await browser.newPage();
        await page.goto(`${base}/verify`);
        const bundles = changedBundles(rounds, random);
        found.tried = 2 * bundles.length;
        found.note(`${bundles.length} bundles, each with a key and without`);
        await judge(page, bundles, found);
      } finally {
        await browser.close();
      }
    }),
};
