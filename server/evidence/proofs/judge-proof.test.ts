import { expect, it } from "vitest";
import { COSIGNATURE, ED25519, formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { originOf } from "@/server/evidence/tree/statement";
import { noteTools, testKey } from "@/testing/notes";
import { PROOF_HOST, proofText } from "@/testing/proofs/entry-proof";
import { judgeProof, parseTrust, type Trust } from "./judge-proof";

const ORIGIN = originOf(PROOF_HOST, "0b6f3a52-7c1e-4e0a-9d54-3f5a1c2b7e90");
const installation = formatVerifierKey(testKey(1, PROOF_HOST, ED25519).key);
const witnesses = [2, 3].map((seed) => testKey(seed, `w${seed}.example`, COSIGNATURE));
const POLICY = `log ${installation}
${witnesses.map(({ key }) => `witness ${key.name} ${formatVerifierKey(key)}`).join("\n")}
group both all w2.example w3.example
quorum both
`;

const trust = (text: string): Trust => {
  const found = parseTrust(noteTools.sha256, text);
  if ("reason" in found) throw new Error(found.reason);
  return found;
};
const judge = (text: string, trusted = installation) => judgeProof(noteTools, text, trust(trusted));

it("a proof is intact under either key, and names position, signer and entry", () => {
  for (const key of [installation, formatVerifierKey(testKey(1, ORIGIN, ED25519).key)])
    expect(judge(proofText(), key)).toMatchObject({
      status: "intact",
      reasons: [],
      row: { action: "device.create", chainSeq: "5" },
      checkpoint: { origin: ORIGIN, size: 11, signedAt: "2026-11-20T14:06:00.000Z" },
      signedBy: [expect.stringMatching(`^${ORIGIN}\\+[0-9a-f]{8}$`)],
    });
});

it("a proof is unproven at a position re-signed after a restore, and intact elsewhere", () => {
  const restored = [
    { proven: 3, lost: 6, root: Buffer.alloc(32, 7).toString("base64"), at: "2026-11-20T10:00:00.000Z" },
  ];
  const statuses = [3, 4, 6, 7].map((seq) => judge(proofText({ seq, restored })).status);
  expect(statuses).toEqual(["intact", "unproven", "unproven", "intact"]);
  expect(judge(proofText({ seq: 5, restored }))).toMatchObject({
    reasons: [expect.stringContaining("entries 4 to 6")],
  });
});

it("lists cosigning witnesses with times, and is unproven without the quorum", () => {
  const both = judge(proofText({ witnesses, seconds: 1_795_183_562 }), POLICY);
  expect(both).toMatchObject({
    status: "intact",
    cosignedBy: ["w2.example", "w3.example"].map((name) => ({ name, seconds: 1_795_183_562 })),
    unchecked: [],
  });
  expect(judge(proofText({ witnesses: witnesses.slice(1) }), POLICY)).toMatchObject({
    status: "unproven",
    reasons: ["Fewer witnesses cosigned the checkpoint than the policy asks for."],
  });
  expect(judge(proofText({ witnesses }))).toMatchObject({
    status: "intact",
    cosignedBy: [],
    unchecked: [expect.stringMatching(/^w2\.example\+/), expect.stringMatching(/^w3\.example\+/)],
  });
});

it("a proof is unproven without a key, with another log's key, or another signer", () => {
  const nobody = { logs: [], witnesses: [], quorum: null };
  expect(judgeProof(noteTools, proofText(), nobody)).toMatchObject({
    status: "unproven",
    reasons: ["No trusted key was given."],
    signedBy: [],
  });
  expect(judge(proofText(), formatVerifierKey(testKey(1, "other.example", ED25519).key))).toMatchObject({
    status: "unproven",
    reasons: [`No trusted key is for ${ORIGIN}.`],
  });
  expect(judge(proofText({ signer: testKey(9, ORIGIN, ED25519) }))).toMatchObject({
    status: "unproven",
    reasons: ["No trusted key signed the checkpoint."],
  });
});

it("a proof is broken or unproven after any single-character change", () => {
  const text = proofText({ witnesses });
  const mark = text.indexOf("\u2014");
  for (let at = text.indexOf("\n") + 1; at < text.length; at++) {
    const changed = `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
    const { status } = judge(changed, POLICY);
    if (at < mark) expect(status, `at ${at}`).toBe("broken");
    else expect(["broken", "unproven"], `at ${at}`).toContain(status);
  }
});

it("a file is unreadable only if it does not start as a proof", () => {
  for (const text of ["", "null", '{"type":"header"}', "c2sp.org/tlog-proof@v2\n", "c2sp.org/tlog-proof@v12"])
    expect(judge(text), text).toEqual({ status: "unreadable", reason: "This is not the proof of an entry." });
  for (const text of [proofText().slice(0, 23), proofText().slice(0, 300), proofText().slice(0, -1)])
    expect(judge(text)).toMatchObject({ status: "broken", row: null });
});

it("accepts keys one per line or a policy, and explains invalid input", () => {
  const { sha256 } = noteTools;
  expect(parseTrust(sha256, `\n ${installation}\r\n`)).toMatchObject({ logs: [{ name: PROOF_HOST }], quorum: null });
  expect(parseTrust(sha256, POLICY.replaceAll("\n", "\r\n"))).toMatchObject({ witnesses: [{}, {}] });
  const forged = installation.replace(/\+[0-9a-f]{8}\+/, "+00000000+");
  for (const [text, message] of [
    [" \n", /There is no key/],
    [forged, /is not a verifier key of a log/],
    [formatVerifierKey(testKey(2, "w2.example", COSIGNATURE).key), /is not a verifier key of a log/],
    ["quorum nobody", /The policy cannot be used, line 1: quorum takes one name/],
  ] as const)
    expect(parseTrust(sha256, text)).toMatchObject({ reason: expect.stringMatching(message) });
});
