import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { ED25519, formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { noteTools, testKey } from "@/testing/notes";
import { PROOF_HOST, proofText } from "@/testing/proofs/entry-proof";
import {
  PROOF_KEY as KEY,
  PROOF_POLICY as POLICY,
  REFUSED_PROOFS,
  proofWitness as witness,
} from "@/testing/proofs/refused";
import { judgeProof, parseTrust, type Trust } from "./judge-proof";

const OTHER = formatVerifierKey(testKey(1, "other.example", ED25519).key);
const NOBODY: Trust = { logs: [], witnesses: [], quorum: null };
/** A change of every so many characters; all of them take Python's own Ed25519 too long. */
const STRIDE = 29;

const DRIVER = `
import json, sys
sys.path.insert(0, "docs")
from verify_proof import judge
print(json.dumps([judge(case["text"].encode(), case["keys"], case["policy"])[0] for case in json.load(sys.stdin)]))
`;

/** Of a log that lost its entries 4 to 6. */
const RESTORED = [{ proven: 3, lost: 6, root: Buffer.alloc(32, 7).toString("base64"), at: "2026-11-20T10:00:00.000Z" }];

type Case = { text: string; keys: string[]; policy: string | null };

function pythonSays(cases: readonly Case[]): string[] {
  const ran = spawnSync("python3", ["-c", DRIVER], { input: JSON.stringify(cases), encoding: "utf8" });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout);
}

function trustOf({ keys, policy }: Case): Trust {
  const text = policy ?? keys.join("\n");
  const trust = text ? parseTrust(noteTools.sha256, text) : NOBODY;
  if ("reason" in trust) throw new Error(trust.reason);
  return trust;
}

const WORD = { intact: "intact", broken: "broken", unproven: "not proven", unreadable: "unreadable" };

it("gets the same verdicts from the independent Python verifier", () => {
  const text = proofText({ witnesses: [witness] });
  const keyed = (changed: string): Case => ({ text: changed, keys: [KEY], policy: null });
  const cases: Case[] = [
    keyed(text),
    { text, keys: [], policy: POLICY },
    { text: proofText(), keys: [], policy: POLICY },
    { text, keys: [], policy: null },
    { text, keys: [OTHER], policy: null },
    ...["", "null", "c2sp.org/tlog-proof@v2\n", text.slice(0, 23), text.slice(0, 400), text.slice(0, -1)].map(keyed),
    keyed(text.replace("index 4", "index 5")),
    keyed(text.slice(0, text.indexOf("\u2014"))),
    keyed(`${text}x\n`),
    // A length that Python itself refuses to read as a number.
    keyed(
      text.replace(/extra \S+/, `extra ${Buffer.from(`v1;${"9".repeat(5000)}${",-".repeat(16)};`).toString("base64")}`),
    ),
    ...[3, 4, 6, 7].map((seq) => keyed(proofText({ seq, restored: RESTORED }))),
    keyed(proofText({ signer: testKey(9, `${PROOF_HOST}/log/0b6f3a52-7c1e-4e0a-9d54-3f5a1c2b7e90`, ED25519) })),
    ...Array.from({ length: Math.floor(text.length / STRIDE) }, (_, i) => {
      const at = i * STRIDE;
      const changed = `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
      return { text: changed, keys: [], policy: POLICY };
    }),
  ];
  const mine = cases.map((given) => WORD[judgeProof(noteTools, given.text, trustOf(given)).status]);
  expect(pythonSays(cases)).toEqual(mine);
  expect(mine.slice(0, 5)).toEqual(["intact", "intact", "not proven", "not proven", "not proven"]);
  expect(new Set(mine).size).toBe(4);
});

it("a proof with any format violation is broken, in Python too", () => {
  const broken = REFUSED_PROOFS.map(() => "broken");
  expect(REFUSED_PROOFS.map((given) => judgeProof(noteTools, given.text, trustOf(given)).status)).toEqual(broken);
  expect(pythonSays(REFUSED_PROOFS)).toEqual(broken);
});
