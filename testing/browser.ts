import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright/test";

/** Playwright's options for launching a Chromium. */
export type Browser = { executablePath: string; args: string[]; env?: Record<string, string> };

const SYSTEM = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const FOUND = "TRAILMARK_E2E_BROWSER";

/** Only without the sandbox, which needs kernel rights that containers and root lack. */
const plain = (executablePath: string): Browser => ({ executablePath, args: ["--no-sandbox"] });

/** The package's fonts.conf names /tmp/fonts; without a font Chromium draws no text. */
const fontsConf = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;

/** Unpacks into TMPDIR, including libraries for minimal machines. */
async function unpackInto(folder: string): Promise<void> {
  const before = { TMPDIR: process.env.TMPDIR, LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH };
  const fontconfig = process.env.FONTCONFIG_PATH;
  Object.assign(process.env, { TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: "nodejs22.x" });
  try {
    const { default: packaged } = await import("@sparticuz/chromium");
    await packaged.executablePath();
  } finally {
    delete process.env.AWS_LAMBDA_JS_RUNTIME;
    for (const [name, value] of Object.entries({ ...before, FONTCONFIG_PATH: fontconfig })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** Chromium from npm, unpacked once below dist/, atomically. */
async function fromNpm(root: string): Promise<Browser> {
  const manifest = await readFile(join(root, "node_modules", "@sparticuz", "chromium", "package.json"), "utf8");
  const folder = join(root, "dist", `chromium-${(JSON.parse(manifest) as { version: string }).version}`);
  if (!existsSync(folder)) {
    await mkdir(join(root, "dist"), { recursive: true });
    const draft = await mkdtemp(`${folder}.`);
    await unpackInto(draft);
    await writeFile(join(draft, "fonts.conf"), fontsConf(folder));
    await rename(draft, folder).catch(() => rm(draft, { recursive: true })); // Another run was faster.
  }
  const env = { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_FILE: join(folder, "fonts.conf") };
  return { ...plain(join(folder, "chromium")), env };
}

async function search(root: string): Promise<Browser> {
  const given = process.env.CHROMIUM_PATH;
  if (given) return plain(given);
  const own = chromium.executablePath();
  const installed = [own, ...SYSTEM].find((path) => path && existsSync(path));
  if (installed) return plain(installed);
  if (process.platform === "linux" && process.arch === "x64") return fromNpm(root);
  throw new Error("No Chromium here: set CHROMIUM_PATH, or run `npx playwright install chromium`.");
}

/**
 * A Chromium for tests: CHROMIUM_PATH, Playwright's, the system's, or npm's, so that `npm test` only needs npm.
 * Searched once per run; Playwright's workers inherit the result.
 */
export async function findBrowser(root: string): Promise<Browser> {
  const found = process.env[FOUND];
  if (found) return JSON.parse(found) as Browser;
  const browser = await search(root);
  process.env[FOUND] = JSON.stringify(browser);
  return browser;
}
