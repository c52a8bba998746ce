import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Policy, parsePolicy } from "@/server/evidence/tree/policy";
import { COSIGNATURE, ED25519, formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { noteTools, testKey } from "@/testing/notes";
import { tempFolder } from "@/testing/temp-folder";
import { formatPolicy, readPolicyFile } from "./policy-file";

const folder = tempFolder();

const LOG = formatVerifierKey(testKey(1, "trailmark.example", ED25519).key);
const vkey = (seed: number) => formatVerifierKey(testKey(seed, `w${seed}.example`, COSIGNATURE).key);
const fileOf = (text: string): string => {
  const file = join(folder, `${crypto.randomUUID()}.policy`);
  writeFileSync(file, text);
  return file;
};
const NESTED = `witness one ${vkey(2)} http://10.0.0.2:8787
witness two ${vkey(3)} https://two.example/w/
witness three ${vkey(4)}
group pair 1 one two
group both all pair three
quorum both
`;

it("reads witnesses with URLs and publishes the policy without them", () => {
  const policy = readPolicyFile(fileOf(NESTED));
  expect(policy.witnesses.map(({ url }) => url)).toEqual(["http://10.0.0.2:8787", "https://two.example/w/", null]);
  const published = formatPolicy([LOG], policy);
  expect(published).not.toMatch(/10\.0\.0\.2|https/);
  const again = parsePolicy(noteTools.sha256, published) as Policy;
  expect(again.logs.map(formatVerifierKey)).toEqual([LOG]);
  const strip = (value: unknown) => JSON.stringify(value, (key, inner) => (key === "url" ? undefined : inner));
  expect(strip(again.quorum)).toBe(strip(policy.quorum));
  expect(formatPolicy([LOG], null)).toBe(`log ${LOG}\nquorum none\n`);
});

it("an invalid policy error names the file, line and fault", () => {
  const many = Array.from({ length: 13 }, (_, i) => `witness n${i} ${vkey(20 + i)} http://n${i}.example`).join("\n");
  for (const [text, message] of [
    [`quorum none\nwitness one\n`, /line 2: the verifier key is malformed/],
    [`witness one ${vkey(2)} ftp://x\nquorum one\n`, /witness one: ftp:\/\/x is not an http or https address/],
    [`witness one ${vkey(2)}\n`, /there is no quorum line/],
    [`${many}\nquorum none\n`, /at most 12 witnesses/],
  ] as const)
    expect(() => readPolicyFile(fileOf(text))).toThrow(message);
  expect(() => readPolicyFile(join(folder, "absent"))).toThrow(
    /TRAILMARK_WITNESS_POLICY_FILE: .*absent: the file cannot/,
  );
});
