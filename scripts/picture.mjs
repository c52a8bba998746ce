// Takes the README's screenshot from a running demo (needs pngquant): node scripts/picture.mjs http://127.0.0.1:3000
import { join } from "node:path";
import { chromium } from "playwright";
import { ROOT, run } from "./run.mjs";

const [base = "http://127.0.0.1:3000"] = process.argv.slice(2);
const file = join(ROOT, "docs", "images", "viewer.png");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "light", locale: "en-GB" });
await page.goto(base);
await page.getByLabel("E-mail").fill("jane.doe@northwind.example");
await page.getByLabel("Password", { exact: true }).fill("trailmark-demo-2026");
await page.getByRole("button", { name: "Sign in" }).click();
await page.getByRole("button", { name: "Dismiss" }).click();
await page.waitForLoadState("networkidle");
await page.screenshot({ path: file });
await browser.close();
process.exitCode = await run("pngquant", ["--force", "--strip", "--output", file, "256", file]);
