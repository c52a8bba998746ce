import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COSIGNATURE, ED25519, formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { runHere } from "@/testing/cli";
import { testKey } from "@/testing/notes";
import { PROOF_HOST, proofText } from "@/testing/proofs/entry-proof";
import { tempFolder } from "@/testing/temp-folder";
import { verify } from "./verify";

const KEY = formatVerifierKey(testKey(1, PROOF_HOST, ED25519).key);
const OTHER = formatVerifierKey(testKey(1, "other.example", ED25519).key);
const witness = testKey(2, "w2.example", COSIGNATURE);
const POLICY = `log ${KEY}\nwitness auditor ${formatVerifierKey(witness.key)}\nquorum auditor\n`;

const dir = tempFolder();

const fileOf = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};
const judge = (text: string, ...args: string[]) => runHere(verify, fileOf("entry.tlog-proof", text), ...args);

it("exits 0 and prints the entry, its signers and cosigners with times", async () => {
  const policy = fileOf("policy", POLICY);
  const ran = await judge(proofText({ witnesses: [witness] }), "--policy", policy);
  expect(ran).toMatchObject({ code: 0, err: "" });
  for (const message of [
    /^INTACT {5}the entry is part of the signed log$/m,
    /jane@contoso\.example · device\.create · WS-042 · success$/m,
    /^Position {3}entry 5 of 11 in trailmark\.example\/log\//m,
    /^Signed by {2}\S+, at 2026-11-20T14:06:00\.000Z$/m,
    /^Cosigned {3}by witness auditor, at 2026-11-20T14:06:02\.000Z$/m,
  ])
    expect(ran.out).toMatch(message);
});

it("maps each verdict to its exit code, also for JSON", async () => {
  const text = proofText();
  for (const [given, args, code, status] of [
    [text, ["--key", KEY], 0, "intact"],
    [text.replace("index 4", "index 5"), ["--key", KEY], 1, "broken"],
    [text.slice(0, -1), ["--key", KEY], 1, "broken"],
    [text, [], 3, "unproven"],
    [text, ["--key", OTHER], 3, "unproven"],
    [text, ["--policy", fileOf("policy", POLICY)], 3, "unproven"],
  ] as const) {
    const ran = await judge(given, "--json", ...args);
    expect([ran.code, JSON.parse(ran.out).status, ran.err]).toEqual([code, status, ""]);
  }
});

it("explains what is missing, invalid or unusable", async () => {
  expect((await judge(proofText())).out).toMatch(/^NOT PROVEN\s[\s\S]*^Missing {4}No trusted key was given\.$/m);
  const moved = await judge(proofText().replace("index 4", "index 5"), "--key", KEY);
  expect(moved.out).toMatch(/^Reason {5}The entry says sequence 5, the proof speaks of sequence 6\.$/m);
  expect(await judge("c2sp.org/tlog-proof@v9\n", "--key", KEY)).toMatchObject({ code: 2, out: "" });
  const policy = await judge(proofText(), "--policy", fileOf("policy", "log nothing\nquorum none\n"));
  expect(policy).toMatchObject({ code: 2, err: expect.stringMatching(/^--policy: .*line 1: the verifier key/) });
  expect(await judge(proofText(), "--policy", join(dir, "absent"))).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^--policy: .*cannot be read/),
  });
});

it("rejects a file that is no evidence and names its type, in text and JSON", async () => {
  const huge = `${proofText().split("\n").slice(0, 1).join("")}\nextra ${"A".repeat(4 * 1024 * 1024)}\n`;
  for (const [file, args, code, message] of [
    [dir, [], 2, /: it is a directory$/m],
    [join(dir, "absent"), [], 2, /: there is no such file$/m],
    [fileOf("empty", ""), [], 2, /: line 1: the file is empty$/m],
    [fileOf("text", "hello\n"), [], 2, /: line 1: it is no evidence bundle: /m],
    [
      fileOf("version", '{"type":"header","format":"trailmark-evidence","version":9}\n'),
      [],
      2,
      /version 9, which is not supported/m,
    ],
    [fileOf("proof", "c2sp.org/tlog-proof@v9\n"), [], 2, /the proof of an entry, of a version that/m],
    [fileOf("huge", huge), [], 1, /^Reason {5}The proof is torn/m],
    [fileOf("good", proofText()), ["--policy", dir], 2, /^--policy: .* cannot be read: it is a directory\.$/m],
    [fileOf("good", proofText()), ["--since", fileOf("empty", "")], 2, /^--since: .* is not a signed checkpoint/m],
  ] as const) {
    const ran = await runHere(verify, file, ...args);
    expect([ran.code, `${ran.out}${ran.err}`]).toEqual([code, expect.stringMatching(message)]);
    expect(ran.err).not.toMatch(/ENOENT|EISDIR| at .*:\d+:\d+/);
  }
  for (const args of [[], ["--key", "nonsense", "a"], [dir]]) {
    const ran = await runHere(verify, "--json", ...args);
    expect([ran.code, JSON.parse(ran.out).status]).toEqual([2, "unreadable"]);
  }
});
