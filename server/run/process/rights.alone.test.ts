import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { tempFolder } from "@/testing/temp-folder";
import { unusableFolder, userName } from "./data-folder";

const refused = vi.hoisted(() => new Set<unknown>());
// Rights would not stop root, who may run this: the system's answer stands in for them.
vi.mock("node:fs", async (actual) => {
  const fs = await actual<typeof import("node:fs")>();
  const accessSync: typeof fs.accessSync = (path, mode) => {
    if (refused.has(path)) throw Object.assign(new Error("EACCES"), { code: "EACCES" });
    fs.accessSync(path, mode);
  };
  return { ...fs, accessSync };
});

let dir: string;
beforeEach(() => {
  dir = tempFolder();
  for (const name of ["spool/one", "checkpoints/an-organization", "postgres/base"])
    mkdirSync(join(dir, name), { recursive: true });
});
afterEach(() => {
  refused.clear();
  chmodSync(dir, 0o700);
});

it.each(["", "spool", "checkpoints/an-organization"])("names a folder owned by another user: %s", (name) => {
  expect(unusableFolder(dir)).toBeUndefined();
  refused.add(join(dir, name));
  expect(unusableFolder(dir)).toBe(join(dir, name));
});

it("ignores the embedded PostgreSQL's folder", () => {
  refused.add(join(dir, "postgres"));
  expect(unusableFolder(dir)).toBeUndefined();
});

it("knows the name of the current user", () => {
  expect(userName()).not.toBe("");
});
