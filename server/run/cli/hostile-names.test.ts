import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runHere } from "@/testing/cli";
import { chainRows, createBundle, installationKey, vkeyOf, witness } from "@/testing/evidence/bundles";
import { tempFolder } from "@/testing/temp-folder";
import { verify } from "./verify";

const KEY = vkeyOf(installationKey);
const CLEARS_THE_SCREEN = "Contoso\u001b[2J\u001b[H\u009b2J\nINTACT: evidence bundle, version 2\n\u202eosotnoC";
/** Control characters and turned directions, line breaks aside. */
const unseenIn = (text: string): string[] => text.replaceAll("\n", "").match(/[\p{Cc}\p{Bidi_Control}]/gu) ?? [];

const dir = tempFolder();

const fileOf = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};

function python(args: string[], env: Record<string, string> = {}) {
  const ran = spawnSync("python3", ["docs/verify_bundle.py", ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

it("a name in a file cannot forge a verdict on the terminal", async () => {
  const bundle = createBundle({ rows: chainRows(3), organization: CLEARS_THE_SCREEN });
  const file = fileOf("hostile.ndjson", bundle.replace("Büro", "Buro"));
  for (const { code, out } of [await runHere(verify, file, "--key", KEY), python([file, "--key", KEY])]) {
    expect(code).toBe(1);
    expect(unseenIn(out)).toEqual([]);
    expect(out).not.toMatch(/^\s*intact/im);
  }
  const json = await runHere(verify, file, "--key", KEY, "--json");
  expect(JSON.parse(json.out)).toMatchObject({ status: "broken", header: { organization: CLEARS_THE_SCREEN } });
  expect(unseenIn(json.out)).toEqual([]);
});

it("Python keeps its exit code when the terminal cannot show a name", () => {
  const file = fileOf("japanese.ndjson", createBundle({ rows: chainRows(3), organization: "日本 Büro" }));
  const ran = python([file, "--key", KEY], { PYTHONIOENCODING: "ascii" });
  expect(ran).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^intact:/) });
});

it("Python evaluates deeply nested quorums like this verifier", async () => {
  const groups = Array.from({ length: 900 }, (_, i) => `group g${i + 1} 1 g${i}`);
  const lines = [`log ${KEY}`, `witness w ${vkeyOf(witness)}`, "group g0 1 w", ...groups, "quorum g900", ""];
  const policy = fileOf("nested.policy", lines.join("\n"));
  for (const [name, witnesses, code] of [
    ["cosigned", [witness], 0],
    ["alone", [], 3],
  ] as const) {
    const file = fileOf(`${name}.ndjson`, createBundle({ rows: chainRows(3), witnesses }));
    expect(await runHere(verify, file, "--policy", policy)).toMatchObject({ code, err: "" });
    expect(python([file, "--policy", policy])).toMatchObject({ code, err: "" });
  }
});

it("never shows a private key given instead of a verifier key", async () => {
  const secret = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v";
  const pem = `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`;
  const file = fileOf("keyed.ndjson", createBundle({ rows: chainRows(1) }));
  for (const { code, out, err } of [await runHere(verify, file, `--key=${pem}`), python([file, `--key=${pem}`])]) {
    expect([code, `${out}${err}`]).toEqual([2, expect.stringContaining("-----BEGIN PRIVATE KEY-----")]);
    expect(`${out}${err}`).not.toContain(secret);
  }
});

it("explains what a line lacks in words of the format", async () => {
  const bundle = createBundle({ rows: chainRows(1) });
  for (const [changed, message] of [
    [bundle.replace('"createdAt"', '"madeAt"'), /line 1: createdAt: it is missing, or not what the format says/],
    [
      bundle.replace('{"type":"checkpoint",', '{"type":"checkpoint","more":1,'),
      /line 2: it has a member that the format/,
    ],
  ] as const) {
    const { code, out } = await runHere(verify, fileOf("lacking.ndjson", changed), "--key", KEY);
    expect([code, out]).toEqual([1, expect.stringMatching(message)]);
  }
});
