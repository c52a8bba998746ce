import { ED25519, formatVerifierKey, keyIdOf, toBase64 } from "@/server/evidence/tree/signed-note";
import { checkpointText, originOf } from "@/server/evidence/tree/statement";
import { noteTools, testKey } from "@/testing/notes";
import { BASES, joined, linesOf, strangerKey } from "./base-bundles";
import { chainRows, createBundle, HOST, installationKey, logKey, sealed, signedBy, vkeyOf, witness } from "./bundles";
import type { Case } from "./python";
import { BADLY_COSIGNED, COSIGNED, ONCE_BADLY_COSIGNED, POLICY, SINCE, STRICT_POLICY, TWICE_COSIGNED } from "./trust";

/** Rules of docs/evidence.md, each as a bundle and the expected verdict; misuse: the trust is refused. */
type Rule = Case & {
  name: string;
  verdict: "intact" | "empty" | "broken" | "unproven" | "unreadable" | "misuse";
};

type Verdict = Rule["verdict"];

const POLICIES: [name: string, text: string, policy: string, verdict: Verdict][] = [
  ["is met by its witness", COSIGNED, POLICY, "intact"],
  ["asks for a witness that did not sign", BASES.whole, POLICY, "unproven"],
  ["asks for two, one signed", COSIGNED, STRICT_POLICY, "unproven"],
  ["sees a cosignature that does not hold", BADLY_COSIGNED, POLICY, "broken"],
  ["is met by a witness that cosigned twice", TWICE_COSIGNED, POLICY, "intact"],
  ["sees one of two cosignatures that does not hold", ONCE_BADLY_COSIGNED, POLICY, "broken"],
  ["asks for none", BASES.whole, POLICY.replace("quorum auditor", "quorum none"), "intact"],
  ["of another log", BASES.whole, POLICY.replace(vkeyOf(installationKey), vkeyOf(strangerKey)), "unproven"],
  ["with a control character", BASES.whole, `${POLICY}#\u0001\n`, "misuse"],
  ["with tabs", BASES.whole, POLICY.replaceAll(" ", "\t"), "unproven"],
];

const ROOT = toBase64(Buffer.alloc(32, 7));
const AT = "2026-11-20T14:00:00.000Z";
/** Log of a bundle, restored to an older state after a larger checkpoint was signed. */
const RESTORED_LATER = createBundle({ rows: chainRows(11), restored: [{ proven: 3, lost: 900, root: ROOT, at: AT }] });
const OTHER_ORIGIN = originOf(HOST, "1c7a4b63-8d2f-4f1b-8e65-4a6b2d3c8fa1");
const OTHER_LOG = signedBy(checkpointText({ origin: OTHER_ORIGIN, size: 6, root: Buffer.alloc(32, 7), signedAt: AT }), [
  testKey(1, OTHER_ORIGIN, ED25519),
]);
const KEPT: [name: string, text: string, since: string | undefined, verdict: Verdict][] = [
  ["is continued", SINCE.bundle, SINCE.note, "intact"],
  ["is the bundle's own", BASES.whole, SINCE.same, "intact"],
  ["has no proof in the bundle", BASES.whole, SINCE.note, "unproven"],
  ["is of a log that was rewritten", SINCE.bundle, SINCE.rewritten, "broken"],
  ["has a proof that does not hold", SINCE.wrongProof, SINCE.note, "broken"],
  ["was not given: its proof is not checked", SINCE.wrongProof, undefined, "intact"],
  ["is signed by nobody who is trusted", SINCE.bundle, SINCE.unsigned, "unproven"],
  ["is of another log", SINCE.bundle, OTHER_LOG, "unproven"],
  ["is newer than the bundle", SINCE.bundle, SINCE.newer, "unproven"],
  ["covers more than the bundle's later one", SINCE.bundle, SINCE.shrunk, "broken"],
  ["covers what a restoration left behind", RESTORED_LATER, SINCE.shrunk, "unproven"],
];

const rows = chainRows(11);
const PART = { kind: "sequence", first: 4, last: 6 } as const;
/** Part of the log with a different entry 4. */
const withRow = (change: (row: (typeof rows)[number]) => void): string =>
  createBundle({
    rows: chainRows(11, (row) => {
      if (row.chainSeq === 4) change(row);
    }),
    range: PART,
  });
/** A bundle with another note of a type, sealed again. */
function withNote(text: string, type: string, change: (note: string) => string): string {
  const lines = linesOf(text).slice(0, -1);
  const at = lines.findIndex((line) => line.startsWith(`{"type":"${type}"`));
  const note = change(JSON.parse(lines[at] ?? "").note);
  return sealed(joined(lines.with(at, JSON.stringify({ type, note }))));
}
/** A bundle with a changed, correctly signed checkpoint or receipt. */
const saying = (type: "checkpoint" | "receipt", change: (text: string) => string): string =>
  withNote(BASES.pruned, type, (note) => signedBy(change(note.slice(0, note.lastIndexOf("\n\n") + 1)), [logKey]));
const withLine = (line: string): string => saying("checkpoint", (text) => `${text}${line}\n`);
/** A checkpoint's root in another notation. */
const withRoot = (change: (root: string) => string): string =>
  saying("checkpoint", (text) =>
    text
      .split("\n")
      .with(2, change(text.split("\n")[2] ?? ""))
      .join("\n"),
  );
const nextLetter = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) + 1);
const cosignedIn = (seconds: number): string =>
  withNote(BASES.whole, "checkpoint", (note) =>
    signedBy(note.slice(0, note.lastIndexOf("\n\n") + 1), [logKey], [{ ...witness, seconds }]),
  );

const noPoint = { name: HOST, type: ED25519, publicKey: Uint8Array.of(2, ...new Uint8Array(31)) };
const NO_POINT = formatVerifierKey({ ...noPoint, id: keyIdOf(noteTools.sha256, noPoint) });
const unsigned = (note: string): string => note.slice(0, note.lastIndexOf("\n\n") + 2);

const FORMS: [name: string, text: string, verdict: Verdict, trust?: Omit<Case, "text">][] = [
  ["a receipt of a day less than none", saying("receipt", (text) => text.replace("days 365", "days -1")), "broken"],
  ["a receipt of a fraction", saying("receipt", (text) => text.replace("policy 0", "policy 0.5")), "broken"],
  ["a receipt with a leading zero", saying("receipt", (text) => text.replace("days 365", "days 0365")), "broken"],
  ["a receipt of no days", saying("receipt", (text) => text.replace("days 365", "days 0")), "intact"],
  ["a number of 15 digits", saying("receipt", (text) => text.replace("days 365", `days ${10 ** 14}`)), "intact"],
  ["a number of 16 digits", saying("receipt", (text) => text.replace("days 365", `days ${10 ** 15}`)), "broken"],
  [
    "a receipt that permits more than is gone",
    createBundle({ rows, receipt: { through: 5 }, shown: (row) => row.chainSeq > 3 }),
    "intact",
  ],
  [
    "a receipt that permits more than the log has",
    createBundle({ rows, receipt: { through: 900 }, shown: () => true }),
    "intact",
  ],
  ["a size with a leading zero", saying("checkpoint", (text) => text.replace("\n11\n", "\n011\n")), "broken"],
  ["a root that is not padded", withRoot((root) => root.replace("=", "")), "broken"],
  [
    "a root that is not canonical",
    withRoot((root) => `${root.slice(0, -2)}${nextLetter(root.at(-2) ?? "")}=`),
    "broken",
  ],
  ["a restoration without its numbers", withLine("restored"), "broken"],
  ["a restoration that lost nothing", withLine(`restored 6 6 ${ROOT} ${AT}`), "broken"],
  ["two restorations, of a lost entry", withLine(`restored 1 2 ${ROOT} ${AT}\nrestored 3 9 ${ROOT} ${AT}`), "unproven"],
  ["a word that begins as a restoration", withLine("restoredx 1"), "broken"],
  ["a further line of a checkpoint", withLine("remark 1"), "intact"],
  [
    "no previous checksum in mid-chain, behind a skip",
    withRow((row) => {
      row.prevChecksum = null;
    }),
    "broken",
  ],
  [
    "an id that is no UUID",
    withRow((row) => {
      row.id = "4";
    }),
    "broken",
  ],
  [
    "an id in upper case",
    withRow((row) => {
      row.id = row.id.toUpperCase();
    }),
    "broken",
  ],
  [
    "an empty text",
    withRow((row) => {
      row.action = "";
    }),
    "intact",
  ],
  [
    "a time before 1970",
    withRow((row) => {
      row.timestampMs = -1;
    }),
    "intact",
  ],
  ["a mark before the first line", `\ufeff${BASES.whole}`, "unreadable"],
  ["a carriage return", BASES.whole.replaceAll("\n", "\r\n"), "broken"],
  ["a header with a wrong member", BASES.whole.replace('"createdAt"', '"madeAt"'), "broken"],
  ["a log without an entry", createBundle({ rows: [] }), "empty"],
  ["a note that nobody signed", withNote(BASES.whole, "checkpoint", unsigned), "unproven"],
  ["a note with an empty line at its end", withNote(BASES.whole, "checkpoint", (note) => `${note}\n`), "unproven"],
  ["a note with a byte at its end", withNote(BASES.whole, "checkpoint", (note) => `${note}x`), "broken"],
  [
    "a note of 17 signature lines",
    withNote(BASES.whole, "checkpoint", (note) => `${note}${`${linesOf(note).at(-1)}\n`.repeat(16)}`),
    "broken",
  ],
  ["a cosignature of the year 9999", cosignedIn(253_402_300_799), "intact", { policy: POLICY }],
  ["a cosignature of the year 10000", cosignedIn(253_402_300_800), "broken", { policy: POLICY }],
  ["a key that is no point of the curve", BASES.whole, "unproven", { keys: [NO_POINT] }],
  ["a key of another log", BASES.whole, "unproven", { keys: [vkeyOf(testKey(1, OTHER_ORIGIN, ED25519))] }],
];

export const RULES: readonly Rule[] = [
  ...POLICIES.map(([name, text, policy, verdict]) => ({ name: `a policy ${name}`, text, policy, verdict })),
  ...KEPT.map(([name, text, since, verdict]) => ({
    name: `a kept checkpoint ${name}`,
    text,
    keys: [vkeyOf(installationKey)],
    ...(since !== undefined && { since }),
    verdict,
  })),
  ...FORMS.map(([name, text, verdict, trust = { keys: [vkeyOf(logKey)] }]) => ({ name, text, verdict, ...trust })),
];
