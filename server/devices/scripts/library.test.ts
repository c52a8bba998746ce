import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemCtx } from "@/server/ground/context";
import { LIBRARY } from "./library.generated";
import { listSystemLibrary } from "./list-system-library";
import { libraryInput, libraryOutput, libraryScript, SCRIPT_OS } from "./schema";

const of = (language: string) => LIBRARY.filter((script) => script.language === language);
const ask = async (query: object) =>
  libraryOutput.parse(await listSystemLibrary.run(systemCtx(), libraryInput.parse(query))).data;

describe("the system script library", () => {
  it("matches the scripts on disk", async () => {
    const { render } = await import("./generate.mjs");
    const written = readFileSync(join(import.meta.dirname, "library.generated.ts"), "utf8");
    expect(written, "run node server/devices/scripts/generate.mjs").toBe(render());
  });

  it("has at least 18 complete scripts with unique IDs, some for each system", () => {
    expect(LIBRARY.length).toBeGreaterThanOrEqual(18);
    for (const script of LIBRARY) libraryScript.parse(script);
    expect(new Set(LIBRARY.map((script) => script.id)).size).toBe(LIBRARY.length);
    for (const os of SCRIPT_OS)
      expect(LIBRARY.filter((script) => script.osTypes.includes(os)).length).toBeGreaterThan(6);
  });

  it.each(of("bash").map((script) => [script.name, script] as const))("bash parses %s", (_, script) => {
    const { status, stderr } = spawnSync("bash", ["-n"], { input: script.content, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    expect(script.content.startsWith("#!/usr/bin/env bash\n")).toBe(true);
    for (const { name } of script.parameters)
      expect(script.content).toMatch(new RegExp(`\\$\\{${name}:|"\\$\\{${name}`));
  });

  it.each(of("powershell").map((script) => [script.name, script] as const))(
    "PowerShell script %s has balanced brackets and declared parameters",
    (_, script) => {
      expect(unbalanced(script.content)).toBe("");
      for (const { name } of script.parameters) expect(script.content).toMatch(new RegExp(`param\\(.*\\$${name}\\b`));
    },
  );

  it("filters by category, system and words", async () => {
    expect(await ask({})).toHaveLength(LIBRARY.length);
    expect(new Set((await ask({ category: "DISK" })).map((script) => script.category))).toEqual(new Set(["disk"]));
    for (const script of await ask({ os: "darwin" })) expect(script.osTypes).toContain("macos");
    expect((await ask({ search: "print QUEUE", os: "windows" })).map((script) => script.name)).toEqual([
      "Clear the print queue",
    ]);
    expect(await ask({ search: "no such thing" })).toEqual([]);
    expect(libraryInput.safeParse({ os: "amiga" }).success).toBe(false);
  });
});

/** Unclosed brackets and quotes of a PowerShell script, comments apart. */
function unbalanced(content: string): string {
  const open: string[] = [];
  const pairs: Record<string, string> = { ")": "(", "]": "[", "}": "{" };
  let quote = "";
  let comment = false;
  for (let at = 0; at < content.length; at++) {
    const char = content[at] as string;
    if (comment) comment = char !== "\n";
    else if (quote === '"' && char === "`") at++;
    else if (quote) quote = char === quote ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === "#") comment = true;
    else if ("([{".includes(char)) open.push(char);
    else if (pairs[char] && open.pop() !== pairs[char]) return `${char} at ${at}`;
  }
  return open.join("") + quote;
}
