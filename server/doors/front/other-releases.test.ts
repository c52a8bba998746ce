import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "@/testing/temp-folder";
import { assetOfOtherRelease } from "./other-releases";

const parent = tempFolder();

function place(release: string, path: string, text: string): void {
  const file = join(parent, release, ".next", "static", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

place("trailmark-1.0.0-linux-x64", "chunks/old.js", "old");
place("trailmark-1.1.0-linux-x64", "chunks/new.js", "new");
place("another-program", "chunks/secret.js", "secret");
writeFileSync(join(parent, "trailmark-1.0.0-linux-x64", "settings.js"), "secret");
symlinkSync(join(parent, "trailmark-1.1.0-linux-x64"), join(parent, "current"));

test("serves scripts of the earlier release after an upgrade and of the later one after a rollback", async () => {
  const upgraded = await assetOfOtherRelease("/_next/static/chunks/old.js", join(parent, "current"));
  expect(await upgraded?.text()).toBe("old");
  expect(upgraded?.headers.get("content-type")).toBe("application/javascript; charset=utf-8");
  const back = await assetOfOtherRelease("/_next/static/chunks/new.js", join(parent, "trailmark-1.0.0-linux-x64"));
  expect(await back?.text()).toBe("new");
});

test.each([
  "/_next/static/chunks/new.js",
  "/_next/static/chunks/secret.js",
  "/_next/static/../../settings.js",
  "/_next/static/%2e%2e/%2e%2e/settings.js",
  "/settings.js",
])("does not serve %s from another release", async (path) => {
  expect(await assetOfOtherRelease(path, join(parent, "current"))).toBeNull();
});

test("finds no other releases in a checkout", async () => {
  expect(await assetOfOtherRelease("/_next/static/chunks/old.js", parent)).toBeNull();
});
