import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, expect, it } from "vitest";
import { tempFolder } from "@/testing/temp-folder";
import { readableStack } from "./readable-stack";

let folder: string;
beforeAll(() => {
  folder = tempFolder();
});

it("shows source positions instead of bundle positions", async () => {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("thrower.ts", "type A = string;\n\nexport function thrower(a: A) {\n  return new Error(a);\n}\n");
  write("main.ts", 'import { thrower } from "./thrower";\nconsole.log(thrower("x").stack);\n');
  const outfile = join(folder, "out.mjs");
  const common = { bundle: true, format: "esm", sourcemap: "linked", sourcesContent: false } as const;
  await build({ ...common, entryPoints: [join(folder, "main.ts")], outfile, absWorkingDir: folder });
  const raw = execFileSync(process.execPath, [outfile], { encoding: "utf8" });
  expect(raw).toContain("out.mjs:");
  const stack = readableStack(raw);
  expect(stack).toContain("thrower (thrower.ts:4:10)");
  expect(stack).toMatch(/main\.ts:2:\d+/);
});

it("leaves a stack without a source map unchanged", () => {
  const stack = "Error: x\n    at f (file:///nowhere/at/all.mjs:1:2)\n    at node:internal/timers:3:4";
  expect(readableStack(stack)).toBe(stack);
});
