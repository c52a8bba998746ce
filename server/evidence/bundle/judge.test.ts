import { describe, expect, it } from "vitest";
import { browserBundleTools } from "@/components/verify/browser-tools";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { BASES, strangerKey } from "@/testing/evidence/base-bundles";
import { chainRows, createBundle, installationKey, logKey, trustIn, vkeyOf } from "@/testing/evidence/bundles";
import { MUTATIONS } from "@/testing/evidence/mutations";
import { type Case, judgedByPython, PYTHON_WORD } from "@/testing/evidence/python";
import { RULES } from "@/testing/evidence/rules";
import { readKeptNote } from "./trust";
import { type BundleTools, verifyBundle } from "./verify";

async function judge(tools: BundleTools, { text, keys = [], policy, since }: Case) {
  const trust = trustIn({ keys, policy });
  const kept = since === undefined ? null : readKeptNote(tools, since, trust);
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  // In parts that end in the middle of lines and characters.
  const chunks = Array.from({ length: Math.ceil(bytes.length / 997) }, (_, i) =>
    bytes.subarray(i * 997, (i + 1) * 997),
  );
  return verifyBundle(chunks, tools, { trust, since: kept });
}

/** The word of each, after all three verifiers agreed on it. */
async function words(cases: readonly Case[]): Promise<string[]> {
  const theirs = judgedByPython(cases);
  const all: string[] = [];
  const disagreed: unknown[] = [];
  for (const [i, one] of cases.entries()) {
    const node = await judge(NODE, one);
    const browser = await judge(BROWSER, one);
    const other = theirs[i];
    if (browser.status !== node.status || other?.[0] !== PYTHON_WORD[node.status])
      disagreed.push({
        i,
        node: node.status,
        browser: browser.status,
        python: other,
        why: "reasons" in node ? [node.reasons, node.breaks] : node,
      });
    all.push(node.status);
  }
  expect(disagreed).toEqual([]);
  return all;
}

/** The same signature is checked in hundreds of bundles: once is enough. */
function remembering(tools: BundleTools): BundleTools {
  const known = new Map<string, boolean>();
  const verify: BundleTools["verify"] = (publicKey, message, signature) => {
    const key = [publicKey, message, signature].map((bytes) => Buffer.from(bytes).toString("base64")).join();
    const good = known.get(key) ?? tools.verify(publicKey, message, signature);
    known.set(key, good);
    return good;
  };
  return { ...tools, verify };
}
const NODE = remembering(noteTools);
const BROWSER = remembering(browserBundleTools);

const HELD = [vkeyOf(logKey)];

describe("mutations of a bundle", () => {
  it("gets the same verdict from all three verifiers, under either key", async () => {
    expect(MUTATIONS.length).toBeGreaterThan(200);
    const expected = MUTATIONS.map(({ name, verdict }) => `${name}: ${verdict}`);
    for (const keys of [HELD, [vkeyOf(installationKey)]]) {
      const found = await words(MUTATIONS.map(({ text }) => ({ text, keys })));
      expect(MUTATIONS.map(({ name }, i) => `${name}: ${found[i]}`)).toEqual(expected);
    }
  });

  it.each([
    ["no key", []],
    ["another key of the same name", [vkeyOf(strangerKey)]],
  ])("is never intact under %s", async (_, keys) => {
    const found = await words(MUTATIONS.map(({ text }) => ({ text, keys })));
    expect(found.filter((word) => word === "intact" || word === "empty").length).toBe(
      // A file that the other key signed from head to end is its own log, which may well be whole.
      keys.length === 0
        ? 0
        : MUTATIONS.filter(({ name }) => name === "everything rehashed and signed by another key").length,
    );
  });
});

describe("every single-byte change of a small bundle", () => {
  it("is detected by all three verifiers", async () => {
    const bytes = Buffer.from(createBundle({ rows: chainRows(4), range: { kind: "sequence", first: 2, last: 3 } }));
    const cases = Array.from(bytes, (byte, at) => {
      const text = Buffer.from(bytes);
      text[at] = byte ^ (1 + (at % 7));
      return { text, keys: HELD };
    });
    const found = await words(cases);
    expect(found.filter((word) => word === "intact" || word === "empty")).toEqual([]);
    expect(found.filter((word) => word === "unreadable").length).toBeLessThan(70);
  });
});

it("a truncated bundle counts only the hashes it still contains", async () => {
  const text = createBundle({ rows: chainRows(12), range: { kind: "sequence", first: 4, last: 6 } });
  const upTo = (line: string) => text.slice(0, text.indexOf(line));
  const cut = upTo('{"type":"skip","through":12');
  expect(await judge(NODE, { text: cut, keys: HELD })).toMatchObject({
    status: "broken",
    rowsChecked: 3,
    hashesOnly: 3,
  });
  expect(await judge(NODE, { text, keys: HELD })).toMatchObject({ status: "intact", rowsChecked: 3, hashesOnly: 9 });
  const none = await judge(NODE, { text: upTo('{"type":"skip"'), keys: HELD });
  expect(none).toMatchObject({ status: "broken", rowsChecked: 0, hashesOnly: 0 });
});

describe("a bundle header", () => {
  it("is unreadable for an unknown version, and the reason names the version", async () => {
    const texts = [1, 3].map((version) => BASES.whole.replace('"version":2', `"version":${version}`));
    expect(await words(texts.map((text) => ({ text, keys: HELD })))).toEqual(["unreadable", "unreadable"]);
    const reason = "it is an evidence bundle of version 1, which is not supported: version 2 is";
    expect(await judge(NODE, { text: texts[0] ?? "" })).toMatchObject({ reason });
    expect(judgedByPython([{ text: texts[0] ?? "" }])).toEqual([["unreadable", 2, [reason]]]);
  });

  it("makes the bundle broken if it is not UTF-8", async () => {
    const bytes = Buffer.from(createBundle({ rows: chainRows(2), organization: "Contoso" }));
    bytes[bytes.indexOf("Contoso")] = 0xff;
    expect(await words([{ text: bytes, keys: HELD }])).toEqual(["broken"]);
  });
});

describe("format rules", () => {
  it("lead all three verifiers to the same verdict", async () => {
    const judged = RULES.filter(({ verdict }) => verdict !== "misuse");
    const found = await words(judged);
    expect(judged.map(({ name }, i) => `${name}: ${found[i]}`)).toEqual(
      judged.map(({ name, verdict }) => `${name}: ${verdict}`),
    );
  });

  it("also apply to policies: an invalid policy is rejected", () => {
    const [refused] = RULES.filter(({ verdict }) => verdict === "misuse");
    expect(() => trustIn({ policy: refused?.policy })).toThrow("control character");
    expect(judgedByPython(refused ? [refused] : [])[0]?.slice(0, 2)).toEqual(["unreadable", 2]);
  });
});

describe("the first line of each verifier", () => {
  const sentences = async (text: string) => {
    const found = await judge(NODE, { text, keys: HELD });
    const [word, code, [first] = []] = judgedByPython([{ text, keys: HELD }])[0] ?? [];
    return {
      status: "status" in found && found.status,
      word,
      code,
      first,
      warnings: "warnings" in found && found.warnings,
    };
  };

  it("reports an open alarm, and such a bundle is never intact", async () => {
    const alarm = { since: "2026-11-20T14:00:00.000Z", found: "altered at sequence 7" };
    const said = "n alarm was open on this log since 2026-11-20T14:00:00.000Z: altered at sequence 7";
    const text = createBundle({ rows: chainRows(4), alarm });
    expect(await words([{ text, keys: HELD }])).toEqual(["unproven"]);
    const found = { status: "unproven", word: "not proven", code: 3, first: `a${said}`, warnings: [`A${said}.`] };
    expect(await sentences(text)).toEqual(found);
    const torn = text.replace('"found":"altered', '"found":7,"x":"altered');
    expect(await words([{ text: torn, keys: HELD }])).toEqual(["broken"]);
  });

  it.for([
    ["whole", { kind: "whole" }, 5],
    ["of sequences", { kind: "sequence", first: 1, last: 8 }, 5],
    ["of sequences that are all gone", { kind: "sequence", first: 1, last: 4 }, 4],
  ] as const)("reports the pruned part of a range, %s, and the entry that set the window", async ([_, range, last]) => {
    const receipt = { through: 5, days: 30, policySeq: 9 };
    const shown = (row: { chainSeq: number }) =>
      row.chainSeq > 5 && (range.kind === "whole" || row.chainSeq <= range.last);
    const found = await sentences(createBundle({ rows: chainRows(11), range, receipt, shown }));
    const said = `ntries 1 to ${last} of the range are gone: removed under the window of 30 days that entry 9 set`;
    expect(found).toMatchObject({ first: `e${said}`, warnings: [`E${said}.`] });
  });
});

describe("a bundle of a log restored to an older state", () => {
  const rows = chainRows(12);
  const restored = [
    { proven: 3, lost: 6, root: Buffer.alloc(32, 7).toString("base64"), at: "2026-11-20T10:00:00.000Z" },
  ];
  const sequence = (first: number, last: number) =>
    createBundle({ rows, restored, range: { kind: "sequence", first, last } });

  it("is unproven over lost entries and intact elsewhere, for all three verifiers", async () => {
    const whole = createBundle({ rows, restored });
    const time = createBundle({ rows, restored, range: { kind: "time", from: null, to: null } });
    const texts = [whole, time, sequence(2, 4), sequence(6, 9), sequence(1, 3), sequence(7, 12)];
    const expected = ["unproven", "unproven", "unproven", "unproven", "intact", "intact"];
    expect(await words(texts.map((text) => ({ text, keys: HELD })))).toEqual(expected);
    const verdict = await judge(NODE, { text: whole, keys: HELD });
    expect(verdict).toMatchObject({ breaks: [], reasons: [expect.stringContaining("entries 4 to 6")] });
  });
});
