import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { COSIGNATURE, ED25519, formatVerifierKey } from "@/server/audit/tree/signed-note";
import { buildCli, removeCli, runCli } from "@/testing/cli";
import { testKey } from "@/testing/notes";
import { PROOF_HOST, proofText } from "@/testing/proofs/entry-proof";

const KEY = formatVerifierKey(testKey(1, PROOF_HOST, ED25519).key);
const OTHER = formatVerifierKey(testKey(1, "other.example", ED25519).key);
const witness = testKey(2, "w2.example", COSIGNATURE);
const POLICY = `log ${KEY}\nwitness auditor ${formatVerifierKey(witness.key)}\nquorum auditor\n`;

let dir: string;
beforeAll(async () => {
  await buildCli();
  dir = mkdtempSync(join(tmpdir(), "trailmark-proof-"));
});
afterAll(() => {
  removeCli();
  rmSync(dir, { recursive: true, force: true });
});

const fileOf = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};
const verify = (text: string, ...args: string[]) => runCli(["verify", fileOf("entry.tlog-proof", text), ...args]);

it("says intact with exit code 0, which entry it is, who signed and who cosigned when", async () => {
  const policy = fileOf("policy", POLICY);
  const ran = await verify(proofText({ witnesses: [witness] }), "--policy", policy);
  expect(ran).toMatchObject({ code: 0, err: "" });
  for (const said of [
    /^INTACT {5}the entry is part of the signed log$/m,
    /jane@contoso\.example · device\.create · WS-042 · success$/m,
    /^Place {6}entry 5 of 11 in trailmark\.example\/log\//m,
    /^Signed by {2}\S+, at 2026-11-20T14:06:00\.000Z$/m,
    /^Cosigned {3}by witness auditor, at 2026-11-20T14:06:02\.000Z$/m,
  ])
    expect(ran.out).toMatch(said);
});

it("answers each verdict with its exit code, on standard input and as JSON too", async () => {
  const text = proofText();
  for (const [given, args, code, status] of [
    [text, ["--key", KEY], 0, "intact"],
    [text.replace("index 4", "index 5"), ["--key", KEY], 1, "broken"],
    [text.slice(0, -1), ["--key", KEY], 1, "broken"],
    [text, [], 3, "unproven"],
    [text, ["--key", OTHER], 3, "unproven"],
    [text, ["--policy", fileOf("policy", POLICY)], 3, "unproven"],
  ] as const) {
    const ran = await runCli(["verify", "-", "--json", ...args], { input: given });
    expect([ran.code, JSON.parse(ran.out).status, ran.err]).toEqual([code, status, ""]);
  }
});

it("says in words of its own what is missing, what does not hold and what it cannot use", async () => {
  expect((await verify(proofText())).out).toMatch(/^NOT PROVEN\s[\s\S]*^Missing {4}No trusted key was given\.$/m);
  const moved = await verify(proofText().replace("index 4", "index 5"), "--key", KEY);
  expect(moved.out).toMatch(/^Reason {5}The entry says sequence 5, the proof speaks of sequence 6\.$/m);
  expect(await verify("c2sp.org/tlog-proof@v9\n", "--key", KEY)).toMatchObject({ code: 2, out: "" });
  const policy = await verify(proofText(), "--policy", fileOf("policy", "log nothing\nquorum none\n"));
  expect(policy).toMatchObject({ code: 2, err: expect.stringMatching(/^--policy: .*line 1: the verifier key/) });
  expect(await verify(proofText(), "--policy", join(dir, "absent"))).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^--policy: .*cannot be read/),
  });
});
