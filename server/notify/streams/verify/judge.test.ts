import { describe, expect, it } from "vitest";
import { parseTrust } from "@/server/evidence/proofs/judge-proof";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { FORMATS } from "@/server/notify/streams/formats";
import { chainOf, STREAM_ORG } from "@/testing/streams/entries";
import { checkpointOf, linesOf, markerOf, OTHER_KEY, STREAM_KEY } from "@/testing/streams/file";
import { StreamJudge, type StreamVerdict } from "./judge";

const trustOf = (key: string) => {
  const trust = parseTrust(noteTools.sha256, key);
  if ("reason" in trust) throw new Error(trust.reason);
  return trust;
};

function judge(lines: readonly string[], key: string | null = STREAM_KEY): StreamVerdict {
  const judge = new StreamJudge();
  for (const line of lines) judge.add(line);
  return judge.finish(key === null ? { logs: [], witnesses: [], quorum: null } : trustOf(key));
}

const chainIn = ({ chains }: StreamVerdict) => {
  const [chain] = chains;
  if (!chain) throw new Error("no chain");
  return chain;
};

const CHAIN = chainOf([
  {},
  { action: "user.login", details: null },
  { details: '{"1": "Ü", "a": 1.10, "bb": [1, 2, {"x": "y=]|\\\\\\n"}]}' },
  { result: "denied", error_message: "You may not delete devices." },
  { actor_email: null, ip_address: null, user_agent: null, resource_id: null, resource_name: null },
  {},
  { action: "agent.eventlogs.submit" },
]);
const FILTERED = [3, 6];
const SIZE = 3;

describe.each(Object.entries(FORMATS))("verifying a %s file", (name, format) => {
  const lines = linesOf({ chain: CHAIN, format, size: SIZE });
  const sieved = linesOf({ chain: CHAIN, format, size: SIZE, filtered: FILTERED });
  const isWhole = name === "native";

  it("is intact in any line order, with filtered entries in place", () => {
    for (const kept of [lines, lines.toReversed(), sieved, sieved.toSorted()])
      expect(judge(kept)).toMatchObject({ status: "intact", otherLines: 0 });
    expect(chainIn(judge(sieved))).toMatchObject({
      entries: 5,
      filtered: 2,
      recomputed: isWhole ? 5 : 0,
      placeOnly: isWhole ? 0 : 5,
      signedThrough: 7,
      missing: [],
      altered: [],
    });
  });

  it("names the missing entry when any single line is removed", () => {
    for (const [i, line] of lines.entries()) {
      const verdict = judge(lines.toSpliced(i, 1));
      const seq = CHAIN.find((entry) => format.entry(entry) === line)?.entry.chainSeq;
      if (seq) expect(chainIn(verdict)).toMatchObject({ status: "broken", missing: [{ first: seq, last: seq }] });
      else expect(chainIn(verdict)).toMatchObject({ status: "unproven", missing: [] });
    }
  });

  it("reports missing filtered entries when their marker is removed", () => {
    const without = sieved.filter((_, i) => i !== 2);
    expect(chainIn(judge(without))).toMatchObject({ status: "broken", missing: [{ first: 3, last: 3 }] });
  });

  it("accepts a duplicate of any line and reports it", () => {
    for (const [i, line] of lines.entries())
      expect(chainIn(judge(lines.toSpliced(i, 0, line)))).toMatchObject({ status: "intact", duplicates: 1 });
  });

  it("accepts any two lines swapped", () => {
    for (let i = 1; i < lines.length; i++) {
      const [before = "", line = ""] = lines.slice(i - 1, i + 1);
      expect(judge(lines.toSpliced(i - 1, 2, line, before)).status).toBe("intact");
    }
  });

  it("is never intact with an edited checksum", () => {
    for (const [i, line] of lines.entries()) {
      const edited = line.replace(/[0-9a-f]{64}/, (checksum) => (checksum[0] === "0" ? "1" : "0") + checksum.slice(1));
      if (edited !== line) expect(judge(lines.with(i, edited)).status, line).toBe("broken");
    }
  });

  it("is broken when the chain is rewritten after an edit", () => {
    const forged = linesOf({
      chain: chainOf([{ action: "user.logout" }, ...CHAIN.slice(1).map(({ row }) => row)]),
      format,
      size: SIZE,
    });
    const last = lines.at(-1) ?? "";
    expect(judge([...forged.slice(0, -1), last]).status).toBe("broken");
  });
});

const native = linesOf({ chain: CHAIN, format: FORMATS.native, size: SIZE });

it("detects every content edit in the native format", () => {
  for (const [i, line] of native.entries()) {
    const {
      type,
      chainSeq,
      sealedAt: _,
      sentence: __,
      actorName: ___,
      category: ____,
      submittedBy,
      orgName,
      orgSlug,
      ...row
    } = JSON.parse(line);
    if (type !== "trailmark.entry.v1") continue;
    for (const name of Object.keys(row)) {
      const edited = JSON.stringify({
        ...JSON.parse(line),
        [name]: name === "orgId" ? STREAM_ORG.id.replace("aa", "ab") : "edited",
      });
      expect(judge(native.with(i, edited)).status, `${name} of ${chainSeq}`).toBe("broken");
    }
  }
});

it("recomputes contents however a receiver reformatted the JSON", () => {
  const wrapped = native.map((line, i) => {
    if (i % 3 === 0) return `<134>Nov 20 08:00:00 collector app: ${line}`;
    return i % 3 === 1 ? JSON.stringify({ _index: "audit", _source: line }) : `${i === 2 ? "[" : ""}${line},`;
  });
  expect(chainIn(judge(wrapped))).toMatchObject({ status: "intact", recomputed: 7 });
  const [, , third = ""] = native;
  const compact = third
    .replace('{"1": "Ü", "a": 1.10, "bb": [1, 2', '{"bb":[1,2')
    .replace('}]},"ip', '}],"a":1.10,"1":"Ü"},"ip');
  expect(compact).not.toBe(third);
  expect(chainIn(judge(native.with(2, compact)))).toMatchObject({ status: "intact", recomputed: 7 });
});

it("explains what is missing for a proof", () => {
  expect(chainIn(judge(native, null))).toMatchObject({
    status: "unproven",
    reasons: [expect.stringContaining("--key")],
  });
  expect(chainIn(judge(native, OTHER_KEY)).reasons).toEqual(["No trusted key signed a checkpoint of this log."]);
  const unsigned = native.slice(0, 4);
  expect(chainIn(judge(unsigned)).reasons).toEqual(["No line carries a signed checkpoint."]);
  expect(chainIn(judge(native.slice(4))).reasons).toEqual([expect.stringContaining("before the first one here")]);
});

it("proves a file that starts midway by the preceding hashes", () => {
  const { native } = FORMATS;
  const entries = CHAIN.slice(2);
  const [one, two] = CHAIN.map(({ entry }) => Buffer.from(entry.checksum, "hex"));
  const leaf = (bytes?: Buffer) => noteTools.sha256(Buffer.concat([Buffer.of(0), bytes ?? Buffer.alloc(0)]));
  const before = [
    Buffer.from(noteTools.sha256(Buffer.concat([Buffer.of(1), leaf(one), leaf(two)]))).toString("base64"),
  ];
  const marker = markerOf({ entries, over: { previous: "0".repeat(64), checkpoint: checkpointOf(CHAIN, 7) } });
  const lines = entries.map(native.entry);
  const markerLine = (hashes: string[]) => JSON.stringify({ ...marker, before: hashes, origin: CHAIN[0]?.origin });
  expect(chainIn(judge([...lines, markerLine(before)]))).toMatchObject({
    status: "intact",
    first: 3,
    signedThrough: 7,
  });
  const other = [Buffer.alloc(32).toString("base64")];
  expect(judge([...lines, markerLine(other)]).status).toBe("broken");
});

it("keeps several organizations and files apart", () => {
  const other = { id: STREAM_ORG.id.replace("aa", "bb"), name: "Fabrikam", slug: "fabrikam" };
  const theirs = linesOf({ chain: chainOf([{}, {}, {}], other), format: FORMATS.ocsf, size: 2 });
  const mixed = [
    ...native.slice(0, 3),
    ...theirs.slice(0, 1),
    "a line of a receiver",
    ...native.slice(3),
    ...theirs.slice(2),
  ];
  const verdict = judge(mixed);
  expect(verdict).toMatchObject({ status: "broken", otherLines: 1 });
  expect(verdict.chains.map(({ orgId, status, missing }) => [orgId, status, missing])).toEqual([
    [STREAM_ORG.id, "intact", []],
    [other.id, "broken", [{ first: 2, last: 2 }]],
  ]);
});

it("pruned entries are not missing only if their removal is proven", () => {
  const { native } = FORMATS;
  const first = markerOf({ entries: CHAIN.slice(0, 2) });
  const rest = CHAIN.slice(4);
  const second = markerOf({ entries: rest, number: 2, over: { previous: first.digest, gap: { first: 3, last: 4 } } });
  const lines = [
    ...[...CHAIN.slice(0, 2), ...rest].map(native.entry),
    ...[first, second].map((marker) => native.marker(marker, CHAIN[0]?.origin ?? "")),
  ];
  expect(chainIn(judge(lines))).toMatchObject({
    status: "unproven",
    missing: [],
    notSent: [{ first: 3, last: 4 }],
    reasons: [expect.stringContaining("Retention removed 3 to 4"), expect.anything()],
  });
});

it("entries between a replay and the live stream are not missing", () => {
  const { native } = FORMATS;
  const replay = markerOf({ entries: CHAIN.slice(0, 2), over: { replay: "r" } });
  const live = markerOf({ entries: CHAIN.slice(4), number: 2 });
  const entries = [...CHAIN.slice(0, 2), ...CHAIN.slice(4)];
  const lines = [...entries.map(native.entry), ...[replay, live].map((marker) => native.marker(marker, "h/log/x"))];
  expect(chainIn(judge(lines)).missing).toEqual([]);
  expect(chainIn(judge(lines.slice(1))).missing).toEqual([{ first: 1, last: 1 }]);
});

it("entries after the newest checkpoint count as not yet signed", () => {
  const [newer] = chainOf([...CHAIN.map(({ row }) => row), {}]).slice(-1);
  if (!newer) throw new Error("no entry");
  const marker = markerOf({ entries: [newer], number: 9 });
  const lines = [...native, FORMATS.native.entry(newer), FORMATS.native.marker(marker, newer.origin)];
  expect(chainIn(judge(lines))).toMatchObject({
    status: "intact",
    signedThrough: 7,
    notices: ["Entries 8 are newer than the last signed checkpoint here."],
  });
});

it("a file without stream lines is unreadable", () => {
  expect(judge(["hello", '{"type":"trailmark.entry.v1"}'])).toEqual({
    status: "unreadable",
    lines: 2,
    otherLines: 2,
    chains: [],
  });
});
