import type { BundleRow } from "@/server/evidence/chain/chain";
import { itemAt, keysOf } from "@/server/ground/records";
import {
  BASES,
  type Base,
  FORGED,
  joined,
  linesOf,
  type Mutation,
  OTHERS,
  ROWS,
  strangerKey,
  timeOf,
} from "./base-bundles";
import { checkpointOf, createBundle, HOST, logKey, sealed, signedBy, witness } from "./bundles";
import { ODD_WRITINGS } from "./odd-writings";

/** Sealed again with the log's own key: an operator who signs changed data. */
const resealed = (lines: readonly string[], signers = [logKey]): string =>
  sealed(joined(lines.slice(0, -1)), { signers });

const isHeader = (line: string | undefined) => line?.startsWith('{"type":"header"') ?? false;
const broken = (name: string, lines: readonly string[]): Mutation => ({
  name,
  text: joined(lines),
  verdict: isHeader(lines[0]) ? "broken" : "unreadable",
});

/** Each line removed, duplicated, swapped with the next, moved to the end, or taken from another bundle. */
function structural(base: Base): Mutation[] {
  const lines = linesOf(BASES[base]);
  const others = linesOf(OTHERS[base]);
  return lines.flatMap((line, i) => {
    const without = lines.filter((_, at) => at !== i);
    const foreign = lines.with(i, itemAt(others, i));
    return [
      broken(`${base}: line ${i + 1} removed`, without),
      broken(`${base}: line ${i + 1} doubled`, lines.toSpliced(i, 0, line)),
      ...(i + 1 < lines.length
        ? [
            broken(`${base}: line ${i + 1} swapped`, lines.toSpliced(i, 2, itemAt(lines, i + 1), line)),
            broken(`${base}: line ${i + 1} moved to the end`, [...without, line]),
          ]
        : []),
      ...(foreign[i] === line ? [] : [broken(`${base}: line ${i + 1} of another bundle`, foreign)]),
    ];
  });
}

/** The same, sealed again by an operator with the genuine key: tree and chain must detect it. */
function sealedAnew(base: Base): Mutation[] {
  const lines = linesOf(BASES[base]);
  return lines.slice(2, -1).flatMap((line, at) => {
    const i = at + 2;
    return [
      {
        name: `${base}: line ${i + 1} removed, sealed again`,
        text: resealed(lines.filter((_, n) => n !== i)),
        verdict: "broken" as const,
      },
      {
        name: `${base}: line ${i + 1} doubled, sealed again`,
        text: resealed(lines.toSpliced(i, 0, line)),
        verdict: "broken" as const,
      },
    ];
  });
}

/** An operator's change of a bundle's text, sealed again. */
function editorOf(base: Base): (name: string, from: string | RegExp, to: string) => Mutation {
  const before = BASES[base];
  return (name, from, to) => {
    const after = before.replace(from, to);
    if (after === before) throw new Error(`${name}: nothing was changed`);
    return { name, text: resealed(linesOf(after)), verdict: "broken" };
  };
}

const inWhole = editorOf("whole");
const inSequence = editorOf("sequence");
const inTime = editorOf("time");
const inPruned = editorOf("pruned");

const EDITS: Mutation[] = [
  inWhole("a row with one more member", '"action":', '"comment":"approved","action":'),
  inWhole("a row with a member twice", '"action":', '"action":"device.harmless","action":'),
  inWhole("a row with a space", '"action":', '"action": '),
  inWhole(
    "a row with members in another order",
    /"ipAddress":("[^"]*"),"userAgent":null/,
    '"userAgent":null,"ipAddress":$1',
  ),
  inWhole("a row with a number written otherwise", '"chainSeq":2,', '"chainSeq":2.0,'),
  inWhole("a row with a number in a text", '"chainSeq":2,', '"chainSeq":"2",'),
  inWhole("a row with an escape that JSON.stringify does not write", "ü", "\\u00fc"),
  inWhole("a row with an escaped slash", '"details":"{', '"details":"\\/{'),
  inWhole("a row without its action", /"action":null|"action":"[^"]*"/, '"action":null'),
  inWhole("a row of another organization", /("chainSeq":3,.*?"orgId":"0b6f3a5)2/, "$13"),
  inWhole("an upper-case checksum", /"checksum":"([0-9a-f]{60})[0-9a-f]{4}"/, '"checksum":"$1ABCD"'),
  inWhole("contents changed, checksum kept", "device.update", "device.delete"),
  inWhole("a checksum changed", /"checksum":"..../, '"checksum":"0000'),
  inWhole("a header with one more member", '"createdAt":', '"note":"approved","createdAt":'),
  inWhole(
    "a header with a member twice",
    '"organization":"Contoso"',
    '"organization":"Innocent","organization":"Contoso"',
  ),
  inWhole("a header of another organization", /"orgId":"0b6f3a52/, '"orgId":"0b6f3a53'),
  inWhole("a header with a space", '"range":', '"range": '),
  inWhole("a header with a key whose id is not its own", "+24e942de+", "+24e942df+"),
  inSequence("a header with another range", '"first":4', '"first":5'),
  inSequence("a header with a wider range", '"last":6', '"last":7'),
  inSequence("a header that says whole", '{"kind":"sequence","first":4,"last":6}', '{"kind":"whole"}'),
  inTime("a header with a later beginning", timeOf(3), timeOf(4)),
  inTime("a range that ends before it begins", timeOf(3), timeOf(10)),
  inSequence("a skip with one more member", '"through":3,', '"through":3,"why":"private",'),
  inSequence("a skip with a hash less", /(,"[^"]{44}"\]\})/, "]}"),
  inSequence("a skip with a hash more", /("[^"]{44}")\]\}/, "$1,$1]}"),
  inSequence("a skip through another entry", '"through":3', '"through":2'),
  inSequence("a skip beyond the checkpoint", '"through":11', '"through":12'),
  inWhole("a null line", /(\n\{"type":"row")/, "\nnull$1"),
  inWhole("an empty line", /(\n\{"type":"row")/, "\n$1"),
  inWhole("a list for a line", /(\n\{"type":"row")/, "\n[]$1"),
  inWhole("a torn line", /(\n\{"type":"row")/, '\n{"type":"ro$1'),
  inWhole("a line of an unknown type", /(\n\{"type":"row")/, '\n{"type":"surprise"}$1'),
  inPruned("a receipt that goes less far", /prune\/v1(.*?)\\n5\\n/, "prune/v1$1\\n4\\n"),
];

const GENUINE_CHECKPOINT = itemAt(linesOf(BASES.whole), 1);

/** The operator's key over genuine leaves except the last: witnesses have agreed to each size. */
function newLastLeaf(): string {
  const leaves = [...ROWS.slice(0, -1), itemAt(FORGED, FORGED.length - 1)];
  const lines = linesOf(createBundle({ rows: FORGED }));
  const checkpoint = signedBy(checkpointOf(leaves), [logKey], [witness]);
  return resealed(lines.with(1, JSON.stringify({ type: "checkpoint", note: checkpoint })));
}

const strip = (text: string, type: string): string =>
  joined(
    linesOf(text).map((line) =>
      line.startsWith(`{"type":"${type}"`) ? line.replace(/\\n\\n.*?\\n"\}$/, '\\n\\n"}') : line,
    ),
  );
const strangers = [strangerKey];

/** A bundle of rows 4 to 8 that shows other rows. */
const chosen = (name: string, shown: (row: BundleRow) => boolean): Mutation => ({
  name,
  text: createBundle({ rows: ROWS, range: { kind: "sequence", first: 4, last: 8 }, shown }),
  verdict: "broken",
});

const FORGERIES: Mutation[] = [
  {
    name: "everything rehashed under a genuine checkpoint",
    text: resealed(linesOf(createBundle({ rows: FORGED })).with(1, GENUINE_CHECKPOINT)),
    verdict: "broken",
  },
  { name: "everything rehashed, only the new last leaf appended", text: newLastLeaf(), verdict: "broken" },
  {
    name: "everything rehashed and signed by another key",
    text: createBundle({ rows: FORGED, signers: strangers }),
    verdict: "unproven",
  },
  { name: "sealed by another key", text: resealed(linesOf(BASES.whole), strangers), verdict: "unproven" },
  {
    name: "another header, sealed by another key",
    text: resealed(linesOf(BASES.whole.replace("Contoso", "Innocent")), strangers),
    verdict: "unproven",
  },
  {
    name: "a checkpoint of another key",
    text: resealed(linesOf(createBundle({ rows: ROWS, signers: strangers }))),
    verdict: "unproven",
  },
  {
    name: "a receipt of another key",
    text: createBundle({ rows: ROWS, receipt: { through: 5, signers: strangers } }),
    verdict: "unproven",
  },
  {
    name: "a receipt that covers less",
    text: createBundle({ rows: ROWS, receipt: { through: 4 }, shown: (row) => row.chainSeq > 5 }),
    verdict: "broken",
  },
  {
    name: "a beginning cut off without a receipt",
    text: createBundle({ rows: ROWS, shown: (row) => row.chainSeq > 5 }),
    verdict: "broken",
  },
  {
    name: "a receipt that covers more than was removed",
    text: createBundle({ rows: ROWS, receipt: { through: 7 }, shown: (row) => row.chainSeq > 5 }),
    verdict: "intact",
  },
  {
    name: "all entries removed under a receipt",
    text: createBundle({ rows: ROWS, receipt: { through: 11 } }),
    verdict: "empty",
  },
  {
    name: "a row hidden in a whole log",
    text: createBundle({ rows: ROWS, shown: (row) => row.chainSeq !== 5 }),
    verdict: "broken",
  },
  chosen("a row hidden in a range by sequence", (row) => [4, 5, 7, 8].includes(row.chainSeq)),
  chosen("the first row of a range hidden", (row) => row.chainSeq > 4 && row.chainSeq < 9),
  chosen("the last row of a range hidden", (row) => row.chainSeq > 3 && row.chainSeq < 8),
  chosen("all rows of a range hidden", () => false),
  chosen("a row too many in a range", (row) => row.chainSeq > 3 && row.chainSeq < 10),
  {
    name: "a row of November in October",
    text: createBundle({
      rows: ROWS,
      range: { kind: "time", from: timeOf(1), to: timeOf(5) },
      shown: (row) => row.chainSeq < 7,
    }),
    verdict: "broken",
  },
  {
    name: "a time range without entries",
    text: createBundle({ rows: ROWS, range: { kind: "time", from: timeOf(900), to: null } }),
    verdict: "empty",
  },
  { name: "a log that never had an entry", text: createBundle({ rows: [] }), verdict: "empty" },
  { name: "a log of one entry", text: createBundle({ rows: ROWS.slice(0, 1) }), verdict: "intact" },
  {
    name: "a bundle of another organization's log",
    text: createBundle({ rows: ROWS, origin: `${HOST}/log/0b6f3a52-7c1e-4e0a-9d54-3f5a1c2b7e91` }),
    verdict: "broken",
  },
  { name: "a seal without signatures", text: strip(BASES.whole, "end"), verdict: "unproven" },
  {
    name: "a checkpoint without signatures, sealed again",
    text: resealed(linesOf(strip(BASES.whole, "checkpoint"))),
    verdict: "unproven",
  },
  { name: "no end of the last line", text: BASES.whole.slice(0, -1), verdict: "broken" },
  { name: "an empty line at the end", text: `${BASES.whole}\n`, verdict: "broken" },
  { name: "a byte order mark", text: `\ufeff${BASES.whole}`, verdict: "unreadable" },
  { name: "lines that end as on Windows", text: BASES.whole.replaceAll("\n", "\r\n"), verdict: "broken" },
  { name: "nothing", text: "", verdict: "unreadable" },
  { name: "another text", text: "hello\n", verdict: "unreadable" },
  {
    name: "another version",
    text: '{"type":"header","format":"trailmark-evidence","version":9}\n',
    verdict: "unreadable",
  },
  { name: "a header alone", text: `${linesOf(BASES.whole)[0]}\n`, verdict: "broken" },
];

/** All bundles and changes: 200 and more. */
export const MUTATIONS: Mutation[] = [
  ...Object.entries(BASES).map(([name, text]) => ({ name: `${name}, as it is`, text, verdict: "intact" as const })),
  ...keysOf(BASES).flatMap(structural),
  ...keysOf(BASES).flatMap(sealedAnew),
  ...EDITS,
  ...FORGERIES,
  ...ODD_WRITINGS,
];
