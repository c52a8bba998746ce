import { describe, expect, it } from "vitest";
import { signText, testKey, noteTools as tools } from "@/testing/notes";
import { cosignedBy, meetsQuorum, type Policy, parsePolicy } from "./policy";
import {
  COSIGNATURE,
  concatBytes,
  cosignedMessage,
  ED25519,
  formatNote,
  formatVerifierKey,
  parseNote,
  secondsToBytes,
} from "./signed-note";

const log = testKey(1, "trailmark.example", ED25519);
const witnesses = [2, 3, 4, 5, 6, 7].map((seed) => testKey(seed, `w${seed}.example`, COSIGNATURE));
const vkey = (i: number): string => formatVerifierKey((witnesses[i] as (typeof witnesses)[number]).key);
const read = (text: string) => parsePolicy(tools.sha256, text);

const TWO_LEVELS = `
# an installation and six witnesses
log ${formatVerifierKey(log.key)}
witness X1 ${vkey(0)} https://x1.example/
  witness X2\t${vkey(1)}
witness X3 ${vkey(2)}
group X 2 X1 X2 X3
witness Y1 ${vkey(3)}
witness Y2 ${vkey(4)}
witness Y3 ${vkey(5)}
group Y any Y1 Y2 Y3
group both all X Y
quorum both
`;

describe("witness policy", () => {
  const policy = read(TWO_LEVELS) as Policy;
  const among = (...names: string[]) => policy.witnesses.filter(({ name }) => names.includes(name));

  it("lists logs and witnesses with their URLs", () => {
    expect(policy.logs.map(({ name }) => name)).toEqual(["trailmark.example"]);
    expect(policy.witnesses.map(({ name, url }) => [name, url])).toEqual([
      ["X1", "https://x1.example/"],
      ["X2", null],
      ["X3", null],
      ["Y1", null],
      ["Y2", null],
      ["Y3", null],
    ]);
  });

  it.each([
    [["X1", "X2", "Y1"], true],
    [["X1", "X3", "Y3"], true],
    [["X1", "X2", "X3"], false],
    [["X1", "Y1", "Y2", "Y3"], false],
    [[], false],
  ])("quorum met by %j: %s", (names, met) => {
    expect(meetsQuorum(policy.quorum, among(...names))).toBe(met);
  });

  it("needs no witness with quorum none", () => {
    expect(meetsQuorum((read("quorum none\n") as Policy).quorum, [])).toBe(true);
  });

  it("counts only witnesses with a valid cosignature", () => {
    const text = "trailmark.example/log/x\n1\nAAAA\n";
    const [first, second] = witnesses;
    if (!first || !second) throw new Error("no witnesses");
    const cosign = (by: typeof first, seconds: number, message = text) => ({
      name: by.key.name,
      id: by.key.id,
      bytes: concatBytes(secondsToBytes(seconds), by.sign(cosignedMessage(message, seconds))),
    });
    const signed = parseNote(signText(text, log));
    const lines = [...(signed?.signatures ?? []), cosign(first, 1_795_183_562), cosign(second, 5, "another\n")];
    const note = parseNote(formatNote(text, lines));
    if (!note) throw new Error("not a note");
    expect(cosignedBy(tools, policy, note).map(({ witness, seconds }) => [witness.name, seconds])).toEqual([
      ["X1", 1_795_183_562],
    ]);
  });
});

it.each([
  ["quorum none\nquorum none\n", 2, "more than one quorum"],
  ["log x\nquorum none\n", 1, "verifier key is malformed"],
  [`log ${vkey(0)}\nquorum none\n`, 1, "a key of type 1 is needed"],
  [`witness A ${formatVerifierKey(log.key)}\nquorum A\n`, 1, "a key of type 4 is needed"],
  [`witness none ${vkey(0)}\nquorum none\n`, 1, "taken"],
  [`witness A ${vkey(0)}\nwitness B ${vkey(0)}\nquorum A\n`, 2, "twice"],
  [`witness A ${vkey(0)}\nwitness A ${vkey(1)}\nquorum A\n`, 2, "taken"],
  [`witness A ${vkey(0)} nowhere\nquorum A\n`, 1, "not a URL"],
  ["quorum A\nwitness A x\n", 1, "defined above"],
  [`witness A ${vkey(0)}\ngroup G 2 A\nquorum G\n`, 2, "from 1 to 1"],
  [`witness A ${vkey(0)}\ngroup G 0 A\nquorum G\n`, 2, "from 1 to 1"],
  [`witness A ${vkey(0)}\ngroup G any A\ngroup H any A\nquorum G\n`, 3, "already"],
  [`witness A ${vkey(0)}\ngroup G any B\nquorum G\n`, 2, "not defined above"],
  ["hello\n", 1, "none of log"],
  ["", 0, "no quorum line"],
  ["\n".repeat(2_000), 0, "at most"],
])("explains the error in %j", (text, line, reason) => {
  expect(read(text)).toMatchObject({ line, reason: expect.stringContaining(reason) });
});
