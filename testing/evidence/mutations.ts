import type { BundleRow } from "@/server/audit/chain/bundle";
import { checksumOf } from "@/server/audit/chain/chain-hash";
import { COSIGNATURE, ED25519, formatVerifierKey, toBase64 } from "@/server/audit/tree/signed-note";
import { checkpointText } from "@/server/audit/tree/statement";
import { consistencyProof, inclusionProof, rootOf } from "@/server/audit/tree/tree";
import { noteTools, testKey } from "@/testing/notes";
import {
  chainRows,
  checkpointOf,
  HOST,
  HOUR_MS,
  installationKey,
  logKey,
  makeBundle,
  nodesOf,
  ORIGIN,
  SIGNED_AT,
  sealed,
  signedBy,
  vkeyOf,
  witness,
} from "./bundles";
import { endedV1, makeBundleV1, ROWS_V1 } from "./bundles-v1";

/** Bundles as they are and as somebody changed them, with what every verifier must say of each under the log's key. */

export type Mutation = {
  name: string;
  text: string;
  /** Under the log's own key; without any key nothing is ever better than not proven. */
  verdict: "intact" | "empty" | "broken" | "unproven" | "unreadable";
};

const ROWS = chainRows(11);
const OTHER = chainRows(11, (row) => {
  if (row.chainSeq === 2) row.action = "device.harmless";
});
/** Another installation's key, with the same names. */
export const strangerKey = testKey(9, ORIGIN, ED25519);
const timeOf = (seq: number) => new Date(Date.parse("2026-10-01T00:00:00.000Z") + seq * HOUR_MS).toISOString();

export const BASES: Record<string, string> = {
  whole: makeBundle({ rows: ROWS }),
  sequence: makeBundle({ rows: ROWS, range: { kind: "sequence", first: 4, last: 6 } }),
  time: makeBundle({
    rows: ROWS,
    range: { kind: "time", from: timeOf(3), to: timeOf(9) },
    shown: (row) => [3, 4, 7, 9].includes(row.chainSeq),
  }),
  pruned: makeBundle({ rows: ROWS, receipt: { through: 5 } }),
};
const OTHERS: Record<string, string> = {
  whole: makeBundle({ rows: OTHER }),
  sequence: makeBundle({ rows: OTHER, range: { kind: "sequence", first: 4, last: 6 } }),
  time: makeBundle({
    rows: OTHER,
    range: { kind: "time", from: timeOf(3), to: timeOf(9) },
    shown: (row) => [3, 4, 7, 9].includes(row.chainSeq),
  }),
  pruned: makeBundle({ rows: OTHER, receipt: { through: 5 } }),
};

const linesOf = (text: string): string[] => text.slice(0, -1).split("\n");
const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** The same with a new seal, by the log's own key: an operator who signs what was changed. */
const resealed = (lines: readonly string[], signers = [logKey]): string =>
  sealed(joined(lines.slice(0, -1)), { signers });

const isHeader = (line: string | undefined) => line?.startsWith('{"type":"header"') ?? false;
const broken = (name: string, lines: readonly string[]): Mutation => ({
  name,
  text: joined(lines),
  verdict: isHeader(lines[0]) ? "broken" : "unreadable",
});

/** Each line removed, doubled, swapped with the next, moved to the end, taken from another bundle. */
function structural(base: string): Mutation[] {
  const lines = linesOf(BASES[base] as string);
  const others = linesOf(OTHERS[base] as string);
  return lines.flatMap((line, i) => {
    const without = lines.filter((_, at) => at !== i);
    const foreign = lines.with(i, others[i] as string);
    return [
      broken(`${base}: line ${i + 1} removed`, without),
      broken(`${base}: line ${i + 1} doubled`, lines.toSpliced(i, 0, line)),
      ...(i + 1 < lines.length
        ? [
            broken(`${base}: line ${i + 1} swapped`, lines.toSpliced(i, 2, lines[i + 1] as string, line)),
            broken(`${base}: line ${i + 1} moved to the end`, [...without, line]),
          ]
        : []),
      ...(foreign[i] === line ? [] : [broken(`${base}: line ${i + 1} of another bundle`, foreign)]),
    ];
  });
}

/** The same by an operator who seals anew with the genuine key: the tree and the chain must see it. */
function sealedAnew(base: string): Mutation[] {
  const lines = linesOf(BASES[base] as string);
  return lines.slice(2, -1).flatMap((line, at) => {
    const i = at + 2;
    return [
      {
        name: `${base}: line ${i + 1} removed, sealed anew`,
        text: resealed(lines.filter((_, n) => n !== i)),
        verdict: "broken" as const,
      },
      {
        name: `${base}: line ${i + 1} doubled, sealed anew`,
        text: resealed(lines.toSpliced(i, 0, line)),
        verdict: "broken" as const,
      },
    ];
  });
}

/** A change of the text of a bundle by the operator, sealed anew. */
function edited(
  name: string,
  base: string,
  from: string | RegExp,
  to: string,
  verdict: Mutation["verdict"] = "broken",
): Mutation {
  const before = BASES[base] as string;
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${name}: nothing was changed`);
  return { name, text: resealed(linesOf(after)), verdict };
}

const EDITS: Mutation[] = [
  edited("a row with one more member", "whole", '"action":', '"comment":"approved","action":'),
  edited("a row with a member twice", "whole", '"action":', '"action":"device.harmless","action":'),
  edited("a row with a space", "whole", '"action":', '"action": '),
  edited(
    "a row with members in another order",
    "whole",
    /"ipAddress":("[^"]*"),"userAgent":null/,
    '"userAgent":null,"ipAddress":$1',
  ),
  edited("a row with a number written otherwise", "whole", '"chainSeq":2,', '"chainSeq":2.0,'),
  edited("a row with a number in a text", "whole", '"chainSeq":2,', '"chainSeq":"2",'),
  edited("a row with an escape that JSON.stringify does not write", "whole", "ü", "\\u00fc"),
  edited("a row with an escaped slash", "whole", '"details":"{', '"details":"\\/{'),
  edited("a row without its action", "whole", /"action":null|"action":"[^"]*"/, '"action":null'),
  edited("a row of another organization", "whole", /("chainSeq":3,.*?"orgId":"0b6f3a5)2/, "$13"),
  edited("an upper-case checksum", "whole", /"checksum":"([0-9a-f]{60})[0-9a-f]{4}"/, '"checksum":"$1ABCD"'),
  edited("contents changed, checksum kept", "whole", "device.update", "device.delete"),
  edited("a checksum changed", "whole", /"checksum":"..../, '"checksum":"0000'),
  edited("a header with one more member", "whole", '"createdAt":', '"note":"approved","createdAt":'),
  edited(
    "a header with a member twice",
    "whole",
    '"organization":"Contoso"',
    '"organization":"Innocent","organization":"Contoso"',
  ),
  edited("a header of another organization", "whole", /"orgId":"0b6f3a52/, '"orgId":"0b6f3a53'),
  edited("a header with a space", "whole", '"range":', '"range": '),
  edited("a header with a key whose id is not its own", "whole", "+24e942de+", "+24e942df+"),
  edited("a header with another range", "sequence", '"first":4', '"first":5'),
  edited("a header with a wider range", "sequence", '"last":6', '"last":7'),
  edited("a header that says whole", "sequence", '{"kind":"sequence","first":4,"last":6}', '{"kind":"whole"}'),
  edited("a header with a later beginning", "time", timeOf(3), timeOf(4)),
  edited("a range that ends before it begins", "time", timeOf(3), timeOf(10)),
  edited("a skip with one more member", "sequence", '"through":3,', '"through":3,"why":"private",'),
  edited("a skip with a hash less", "sequence", /(,"[^"]{44}"\]\})/, "]}"),
  edited("a skip with a hash more", "sequence", /("[^"]{44}")\]\}/, "$1,$1]}"),
  edited("a skip through another entry", "sequence", '"through":3', '"through":2'),
  edited("a skip beyond the checkpoint", "sequence", '"through":11', '"through":12'),
  edited("a null line", "whole", /(\n\{"type":"row")/, "\nnull$1"),
  edited("an empty line", "whole", /(\n\{"type":"row")/, "\n$1"),
  edited("a list for a line", "whole", /(\n\{"type":"row")/, "\n[]$1"),
  edited("a torn line", "whole", /(\n\{"type":"row")/, '\n{"type":"ro$1'),
  edited("a line of an unknown type", "whole", /(\n\{"type":"row")/, '\n{"type":"surprise"}$1'),
  edited("a receipt that goes less far", "pruned", /prune\/v1(.*?)\\n5\\n/, "prune/v1$1\\n4\\n"),
];

/** Rows changed and everything behind hashed and linked anew. */
function rehashed(): typeof ROWS {
  const rows = ROWS.map((row) => ({ ...row }));
  for (const [i, row] of rows.entries()) {
    if (row.chainSeq === 5) row.action = "device.harmless";
    row.prevChecksum = rows[i - 1]?.checksum ?? null;
    row.checksum = checksumOf(row);
  }
  return rows;
}

const FORGED = rehashed();
const GENUINE_CHECKPOINT = linesOf(BASES.whole as string)[1] as string;

/** The operator's own key over leaves that are genuine but for the last: the witnesses have agreed to each size. */
function newLastLeaf(): string {
  const leaves = [...ROWS.slice(0, -1), FORGED.at(-1) as (typeof ROWS)[number]];
  const lines = linesOf(makeBundle({ rows: FORGED }));
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

const FORGERIES: Mutation[] = [
  {
    name: "everything rehashed under a genuine checkpoint",
    text: resealed(linesOf(makeBundle({ rows: FORGED })).with(1, GENUINE_CHECKPOINT)),
    verdict: "broken",
  },
  { name: "everything rehashed, only the new last leaf appended", text: newLastLeaf(), verdict: "broken" },
  {
    name: "everything rehashed and signed by another key",
    text: makeBundle({ rows: FORGED, signers: strangers }),
    verdict: "unproven",
  },
  { name: "sealed by another key", text: resealed(linesOf(BASES.whole as string), strangers), verdict: "unproven" },
  {
    name: "another header, sealed by another key",
    text: resealed(linesOf((BASES.whole as string).replace("Contoso", "Innocent")), strangers),
    verdict: "unproven",
  },
  {
    name: "a checkpoint of another key",
    text: resealed(linesOf(makeBundle({ rows: ROWS, signers: strangers }))),
    verdict: "unproven",
  },
  {
    name: "a receipt of another key",
    text: makeBundle({ rows: ROWS, receipt: { through: 5, signers: strangers } }),
    verdict: "unproven",
  },
  {
    name: "a receipt that covers less",
    text: makeBundle({ rows: ROWS, receipt: { through: 4 }, shown: (row) => row.chainSeq > 5 }),
    verdict: "broken",
  },
  {
    name: "a beginning cut off without a receipt",
    text: makeBundle({ rows: ROWS, shown: (row) => row.chainSeq > 5 }),
    verdict: "broken",
  },
  {
    name: "a receipt that covers more than was removed",
    text: makeBundle({ rows: ROWS, receipt: { through: 7 }, shown: (row) => row.chainSeq > 5 }),
    verdict: "intact",
  },
  {
    name: "all entries removed under a receipt",
    text: makeBundle({ rows: ROWS, receipt: { through: 11 } }),
    verdict: "empty",
  },
  {
    name: "a row hidden in a whole log",
    text: makeBundle({ rows: ROWS, shown: (row) => row.chainSeq !== 5 }),
    verdict: "broken",
  },
  {
    name: "a row hidden in a range by sequence",
    text: makeBundle({
      rows: ROWS,
      range: { kind: "sequence", first: 4, last: 8 },
      shown: (row) => [4, 5, 7, 8].includes(row.chainSeq),
    }),
    verdict: "broken",
  },
  {
    name: "the first row of a range hidden",
    text: makeBundle({
      rows: ROWS,
      range: { kind: "sequence", first: 4, last: 8 },
      shown: (row) => row.chainSeq > 4 && row.chainSeq < 9,
    }),
    verdict: "broken",
  },
  {
    name: "the last row of a range hidden",
    text: makeBundle({
      rows: ROWS,
      range: { kind: "sequence", first: 4, last: 8 },
      shown: (row) => row.chainSeq > 3 && row.chainSeq < 8,
    }),
    verdict: "broken",
  },
  {
    name: "all rows of a range hidden",
    text: makeBundle({ rows: ROWS, range: { kind: "sequence", first: 4, last: 8 }, shown: () => false }),
    verdict: "broken",
  },
  {
    name: "a row too many in a range",
    text: makeBundle({
      rows: ROWS,
      range: { kind: "sequence", first: 4, last: 8 },
      shown: (row) => row.chainSeq > 3 && row.chainSeq < 10,
    }),
    verdict: "broken",
  },
  {
    name: "a row of November in October",
    text: makeBundle({
      rows: ROWS,
      range: { kind: "time", from: timeOf(1), to: timeOf(5) },
      shown: (row) => row.chainSeq < 7,
    }),
    verdict: "broken",
  },
  {
    name: "a time range without entries",
    text: makeBundle({ rows: ROWS, range: { kind: "time", from: timeOf(900), to: null } }),
    verdict: "empty",
  },
  { name: "a log that never had an entry", text: makeBundle({ rows: [] }), verdict: "empty" },
  { name: "a log of one entry", text: makeBundle({ rows: ROWS.slice(0, 1) }), verdict: "intact" },
  {
    name: "a bundle of another organization's log",
    text: makeBundle({ rows: ROWS, origin: `${HOST}/log/0b6f3a52-7c1e-4e0a-9d54-3f5a1c2b7e91` }),
    verdict: "broken",
  },
  { name: "a seal without signatures", text: strip(BASES.whole as string, "end"), verdict: "unproven" },
  {
    name: "a checkpoint without signatures, sealed anew",
    text: resealed(linesOf(strip(BASES.whole as string, "checkpoint"))),
    verdict: "unproven",
  },
  { name: "no end of the last line", text: (BASES.whole as string).slice(0, -1), verdict: "broken" },
  { name: "an empty line at the end", text: `${BASES.whole}\n`, verdict: "broken" },
  { name: "a byte order mark", text: `\ufeff${BASES.whole}`, verdict: "unreadable" },
  { name: "lines that end as on Windows", text: (BASES.whole as string).replaceAll("\n", "\r\n"), verdict: "broken" },
  { name: "nothing", text: "", verdict: "unreadable" },
  { name: "another text", text: "hello\n", verdict: "unreadable" },
  {
    name: "another version",
    text: '{"type":"header","format":"trailmark-evidence","version":9}\n',
    verdict: "unreadable",
  },
  { name: "a header alone", text: `${linesOf(BASES.whole as string)[0]}\n`, verdict: "broken" },
];

/** Every bundle and every change of one: 200 and more. */
export const MUTATIONS: Mutation[] = [
  ...Object.entries(BASES).map(([name, text]) => ({ name: `${name}, as it is`, text, verdict: "intact" as const })),
  ...Object.keys(BASES).flatMap(structural),
  ...Object.keys(BASES).flatMap(sealedAnew),
  ...EDITS,
  ...FORGERIES,
];

const whole = makeBundleV1({ rows: ROWS_V1 });
const v1 = (name: string, text: string, verdict: Mutation["verdict"]): Mutation => ({
  name: `version 1: ${name}`,
  text,
  verdict,
});
const editedV1 = (
  name: string,
  from: string | RegExp,
  to: string,
  verdict: Mutation["verdict"] = "broken",
): Mutation => {
  const body = joined(linesOf(whole).slice(0, -1)).replace(from, to);
  return v1(name, endedV1(body, ROWS_V1.length), verdict);
};

/** Rows of version 1 changed at one, everything behind hashed and linked anew. */
const FORGED_V1 = chainRows(9, (row) => {
  if (row.chainSeq === 5) row.action = "device.harmless";
});

/** Bundles of version 1, as they are and as attackers made them without the log's key. */
export const MUTATIONS_V1: Mutation[] = [
  v1("as it is", whole, "intact"),
  v1("several checkpoints", makeBundleV1({ rows: ROWS_V1, checkpoints: [3, 7, 9] }), "intact"),
  v1("without the newline at its end", whole.slice(0, -1), "intact"),
  v1("rewritten, checkpoints removed", makeBundleV1({ rows: FORGED_V1, checkpoints: [] }), "unproven"),
  v1(
    "rewritten behind the only checkpoint",
    makeBundleV1({ rows: FORGED_V1, checkpoints: [3], genuine: ROWS_V1 }),
    "unproven",
  ),
  v1(
    "rewritten under its checkpoints",
    makeBundleV1({ rows: FORGED_V1, checkpoints: [3, 9], genuine: ROWS_V1 }),
    "broken",
  ),
  v1("rewritten, signed by another key", makeBundleV1({ rows: FORGED_V1, signer: strangerKey }), "unproven"),
  v1(
    "a beginning invented, a checkpoint of no row in it",
    makeBundleV1({
      rows: FORGED_V1.slice(5),
      checkpoints: [2],
      genuine: ROWS_V1,
      start: { seq: 5, checksum: FORGED_V1[4]?.checksum ?? null },
    }),
    "unproven",
  ),
  v1(
    "a beginning that nothing stands before",
    makeBundleV1({ rows: ROWS_V1.slice(5), start: { seq: 5, checksum: null } }),
    "broken",
  ),
  v1(
    "from the middle, with the checksum before",
    makeBundleV1({ rows: ROWS_V1.slice(5), start: { seq: 5, checksum: ROWS_V1[4]?.checksum ?? null } }),
    "intact",
  ),
  v1(
    "a forged receipt",
    makeBundleV1({ rows: ROWS_V1.slice(5), receipt: { throughSeq: 5, throughChecksum: ROWS_V1[4]?.checksum ?? null } }),
    "unproven",
  ),
  v1(
    "a receipt that does not link",
    makeBundleV1({ rows: ROWS_V1.slice(5), receipt: { throughSeq: 5, throughChecksum: "ab".repeat(32) } }),
    "broken",
  ),
  v1("a beginning cut off", makeBundleV1({ rows: ROWS_V1.slice(5) }), "broken"),
  v1("an end cut off behind a checkpoint", makeBundleV1({ rows: ROWS_V1.slice(0, 5), checkpoints: [3] }), "unproven"),
  v1(
    "an end cut off before a checkpoint",
    makeBundleV1({ rows: ROWS_V1.slice(0, 5), checkpoints: [9], genuine: ROWS_V1 }),
    "broken",
  ),
  v1("a row taken out", makeBundleV1({ rows: ROWS_V1.filter(({ chainSeq }) => chainSeq !== 5) }), "broken"),
  v1(
    "two rows swapped",
    makeBundleV1({ rows: ROWS_V1.toSpliced(3, 2, ROWS_V1[4] as BundleRow, ROWS_V1[3] as BundleRow) }),
    "broken",
  ),
  v1("no rows at all", makeBundleV1({ rows: [] }), "unproven"),
  v1(
    "another name in the header, which is not signed",
    makeBundleV1({ rows: ROWS_V1, organization: "Innocent" }),
    "intact",
  ),
  v1("contents changed", whole.replace("device.update", "device.delete"), "broken"),
  v1("the end line removed", joined(linesOf(whole).slice(0, -1)), "broken"),
  v1("a line behind the end", `${whole}{"type":"end"}\n`, "broken"),
  v1("two newlines at the end", `${whole}\n`, "broken"),
  editedV1("a row with one more member", '"action":', '"comment":"approved","action":'),
  editedV1("a row with a member twice", '"action":', '"action":"device.harmless","action":'),
  editedV1("a null line", /(\n\{"type":"row")/, "\nnull$1"),
  editedV1("a row without its user agent", '"userAgent":null,', ""),
  editedV1("a header with one more member", '"createdAt":', '"note":"approved","createdAt":'),
  editedV1("a header without a member", '"from":null,', ""),
  editedV1("a header of another organization", /"orgId":"0b6f3a52/, '"orgId":"0b6f3a53'),
  editedV1("a checkpoint whose signature does not hold", /signed-at 2026-11-20/, "signed-at 2026-11-21"),
];

/** A policy that pins the installation and asks for a witness. */
export const POLICY = [
  `log ${vkeyOf(installationKey)}`,
  `witness auditor ${vkeyOf(witness)}`,
  `witness second ${formatVerifierKey(testKey(3, "second.example", COSIGNATURE).key)}`,
  "group both all auditor second",
  "quorum auditor",
  "",
].join("\n");
/** The same, but both witnesses are asked for. */
export const STRICT_POLICY = POLICY.replace("quorum auditor", "quorum both");

const node = nodesOf(ROWS);
const OLDER = 6;
const since = {
  type: "since" as const,
  size: OLDER,
  hashes: consistencyProof(noteTools.sha256, node, OLDER, 11).map(toBase64),
};
/** A kept checkpoint of the same log, one of a rewritten log, and bundles that go on from the first. */
export const SINCE = {
  note: signedBy(checkpointOf(ROWS, OLDER), [logKey]),
  rewritten: signedBy(checkpointOf(FORGED, OLDER), [logKey]),
  unsigned: signedBy(checkpointOf(ROWS, OLDER), strangers),
  newer: signedBy(
    checkpointText({ origin: ORIGIN, size: 900, root: rootOf(noteTools.sha256, node, 0, 11), signedAt: SIGNED_AT }),
    [logKey],
  ),
  same: signedBy(checkpointOf(ROWS), [logKey]),
  bundle: makeBundle({ rows: ROWS, since }),
  wrongProof: makeBundle({ rows: ROWS, since: { ...since, hashes: since.hashes.toReversed() } }),
};

const entry = ROWS[3] as (typeof ROWS)[number];
const oldNote = (checksum: string): string => {
  const text = `${HOST}/audit/${entry.orgId}\n4\n${Buffer.from(checksum, "hex").toString("base64")}\nsigned-at ${SIGNED_AT}\n`;
  return signedBy(text, [installationKey]);
};
/** The same with a note of version 1, which names one entry. */
export const SINCE_ENTRY = {
  note: oldNote(entry.checksum),
  rewritten: oldNote((OTHER[3] as (typeof ROWS)[number]).checksum),
  bundle: makeBundle({
    rows: ROWS,
    since: {
      type: "since",
      seq: 4,
      checksum: entry.checksum,
      hashes: inclusionProof(noteTools.sha256, node, 3, 11).map(toBase64),
    },
  }),
};

/** A policy's bundles: cosigned by the witness, and by a witness whose signature does not hold. */
export const COSIGNED = makeBundle({ rows: ROWS, witnesses: [witness] });
export const BADLY_COSIGNED = makeBundle({
  rows: ROWS,
  witnesses: [{ ...witness, sign: (message) => witness.sign(`${message} `) }],
});
