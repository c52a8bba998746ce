import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

type Locked = { license?: string; dev?: boolean; hasInstallScript?: boolean; resolved?: string; integrity?: string };
const { packages }: { packages: Record<string, Locked> } = JSON.parse(readFileSync("package-lock.json", "utf8"));
const installed = Object.entries(packages).filter(([path]) => path.startsWith("node_modules/"));

/**
 * Licences under which what we ship may be used and passed on with it. LGPL and MPL ask for their own files' source,
 * which npm has; they are not linked into ours (native libraries of sharp, tools of the tests).
 */
const ALLOWED = new Set([
  ...["MIT", "MIT-0", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "Zlib", "Unlicense", "CC0-1.0"],
  ...["CC-BY-4.0", "OFL-1.1", "LGPL-3.0-or-later", "MPL-2.0", "BlueOak-1.0.0", "Python-2.0"],
]);

/** An SPDX expression is allowed when one of its alternatives is in every part. */
const isAllowed = (expression: string): boolean =>
  expression
    .replace(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((licence) => ALLOWED.has(licence)));

it("every package has an allowed license", () => {
  expect(installed.length).toBeGreaterThan(300);
  const refused = installed.filter(([, { license }]) => !license || !isAllowed(license));
  expect(refused.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  for (const never of ["AGPL-3.0-only", "GPL-3.0-or-later", "SSPL-1.0", "MIT AND GPL-2.0-only", "UNLICENSED"])
    expect(isAllowed(never)).toBe(false);
});

it("every package is locked by hash", () => {
  const loose = installed.filter(([, { resolved, integrity }]) => resolved && !integrity?.startsWith("sha512-"));
  expect(loose.map(([path]) => path)).toEqual([]);
});

it("only the two allowed packages run an install script", () => {
  const { allowScripts }: { allowScripts: Record<string, boolean> } = JSON.parse(readFileSync("package.json", "utf8"));
  const allowed = Object.keys(allowScripts).map((name) => name.replace(/(?<=.)@[^@]*$/, ""));
  const running = installed
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.split("node_modules/").at(-1));
  expect(
    running.filter((name) => !allowed.some((one) => name === one || name?.startsWith(`${one.split("/")[0]}/`))),
  ).toEqual([]);
});
