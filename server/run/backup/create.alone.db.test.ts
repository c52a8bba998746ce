import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { ArchiveWriter } from "./archive";
import { addDataFolder } from "./create";

const member = (name: string, text: string) => ({
  name,
  size: text.length,
  sha256: createHash("sha256").update(text).digest("hex"),
});

it.each([
  ["longer", "a checkpoint\n", "a checkpoint that covers more entries\n"],
  ["shorter", "a checkpoint with its cosignatures\n", "a checkpoint\n"],
])("copies a checkpoint consistently while a %s one replaces it", async (_, before, after) => {
  const dir = tempFolder();
  withSettings({ TRAILMARK_DATA_DIR: dir });
  const folder = join(dir, "checkpoints", "an-organization");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "latest"), before);
  writeFileSync(join(dir, "draft"), after);
  const archive = new ArchiveWriter(join(dir, "archive"));
  const added = addDataFolder(archive);
  renameSync(join(dir, "draft"), join(folder, "latest"));
  const name = "data/checkpoints/an-organization/latest";
  const latest = (await added).find((one) => one.name === name);
  await archive.abort();
  expect([member(name, before), member(name, after)]).toContainEqual(latest);
});
