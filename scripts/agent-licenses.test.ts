import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "@/testing/temp-folder";
import { licenseText } from "./agent-licenses.mjs";

const node = join(tempFolder(), "LICENSE");
writeFileSync(node, "Node.js is licensed for use as follows: …\nOpenSSL, V8, ICU …\n");

it("contains our license, each bundled package's once, and Node's", () => {
  const inputs = [
    "agent/main.ts",
    "node_modules/zod/v4/index.js",
    "node_modules/zod/index.js",
    "server/ground/wire.ts",
  ];
  const text = licenseText(inputs, { node, version: "24.0.0" });
  expect(text).toContain("Trailmark agent (Apache-2.0)");
  expect(text).toContain("Apache License");
  expect(text.match(/^zod [\d.]+ \(MIT\)$/gm)).toHaveLength(1);
  expect(text).toMatch(/Colin McDonnell/);
  expect(text).toContain("Node.js 24.0.0 and its parts");
  expect(text).toContain("OpenSSL, V8, ICU");
});

it("builds nothing without Node's license", () => {
  expect(() => licenseText([], { node: `${node}.missing`, version: "24.0.0" })).toThrow(/Node's licence/);
});
