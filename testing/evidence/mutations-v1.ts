import { itemAt } from "@/server/ground/records";
import { joined, linesOf, type Mutation, strangerKey } from "./base-bundles";
import { chainRows, installationKey, vkeyOf } from "./bundles";
import { createBundleV1, endedV1, ROWS_V1 } from "./bundles-v1";

const whole = createBundleV1({ rows: ROWS_V1 });
const v1 = (name: string, text: string, verdict: Mutation["verdict"]): Mutation => ({
  name: `version 1: ${name}`,
  text,
  verdict,
});
const editedV1 = (name: string, from: string | RegExp, to: string): Mutation => {
  const body = joined(linesOf(whole).slice(0, -1)).replace(from, to);
  return v1(name, endedV1(body, ROWS_V1.length), "broken");
};

/** Rows of version 1 changed at one, everything behind hashed and linked again. */
const FORGED_V1 = chainRows(9, (row) => {
  if (row.chainSeq === 5) row.action = "device.harmless";
});

/** The last rows of a chain, the first of which is linked to nothing: the key's holder signed it so. */
const HEADLESS_V1 = chainRows(9, (row) => {
  if (row.chainSeq === 6) row.prevChecksum = null;
}).slice(5);
const PRUNED_V1 = { throughSeq: 5, throughChecksum: ROWS_V1[4]?.checksum ?? null };

/** Rows without a checkpoint before them, and lines behind the rows, where the format has none. */
const behindV1 = (rows: typeof ROWS_V1, ...lines: readonly string[]): string =>
  endedV1(joined([...linesOf(createBundleV1({ rows, checkpoints: [] })).slice(0, -1), ...lines]), rows.length);
const checkpointOf = (rows: typeof ROWS_V1, signer = installationKey): string =>
  itemAt(linesOf(createBundleV1({ rows: ROWS_V1, genuine: rows, checkpoints: [9], signer })), 1);
/** Beside the genuine checkpoint one of the same entry, by a key that the header itself names. */
const FORGED_BESIDE = endedV1(
  joined([
    itemAt(linesOf(createBundleV1({ rows: FORGED_V1 })), 0).replace('"publicKeys":[', `$&"${vkeyOf(strangerKey)}",`),
    checkpointOf(ROWS_V1),
    checkpointOf(FORGED_V1, strangerKey),
    ...linesOf(createBundleV1({ rows: FORGED_V1 })).slice(2, -1),
  ]),
  FORGED_V1.length,
);

/** Bundles of version 1, as they are and as attackers made them without the log's key. */
export const MUTATIONS_V1: Mutation[] = [
  v1("as it is", whole, "intact"),
  v1("several checkpoints", createBundleV1({ rows: ROWS_V1, checkpoints: [3, 7, 9] }), "intact"),
  v1("without the newline at its end", whole.slice(0, -1), "intact"),
  v1("rewritten, checkpoints removed", createBundleV1({ rows: FORGED_V1, checkpoints: [] }), "unproven"),
  v1(
    "rewritten behind the only checkpoint",
    createBundleV1({ rows: FORGED_V1, checkpoints: [3], genuine: ROWS_V1 }),
    "unproven",
  ),
  v1(
    "rewritten under its checkpoints",
    createBundleV1({ rows: FORGED_V1, checkpoints: [3, 9], genuine: ROWS_V1 }),
    "broken",
  ),
  v1("rewritten, its checkpoint behind the rows", behindV1(FORGED_V1, checkpointOf(ROWS_V1)), "broken"),
  v1("a checkpoint behind the rows", behindV1(ROWS_V1, checkpointOf(ROWS_V1)), "broken"),
  v1("rewritten, a checkpoint of another key beside the genuine one", FORGED_BESIDE, "broken"),
  v1(
    "a receipt behind the rows",
    behindV1(ROWS_V1, JSON.stringify({ type: "receipt", throughSeq: 0, throughChecksum: null })),
    "broken",
  ),
  v1("rewritten, signed by another key", createBundleV1({ rows: FORGED_V1, signer: strangerKey }), "unproven"),
  v1(
    "a beginning invented, a checkpoint of no row in it",
    createBundleV1({
      rows: FORGED_V1.slice(5),
      checkpoints: [2],
      genuine: ROWS_V1,
      start: { seq: 5, checksum: FORGED_V1[4]?.checksum ?? null },
    }),
    "unproven",
  ),
  v1(
    "a beginning that nothing stands before",
    createBundleV1({ rows: ROWS_V1.slice(5), start: { seq: 5, checksum: null } }),
    "broken",
  ),
  v1(
    "from the middle, with the checksum before",
    createBundleV1({ rows: ROWS_V1.slice(5), start: { seq: 5, checksum: ROWS_V1[4]?.checksum ?? null } }),
    "intact",
  ),
  v1(
    "a forged receipt",
    createBundleV1({
      rows: ROWS_V1.slice(5),
      receipt: { throughSeq: 5, throughChecksum: ROWS_V1[4]?.checksum ?? null },
    }),
    "unproven",
  ),
  v1(
    "a receipt that does not link",
    createBundleV1({ rows: ROWS_V1.slice(5), receipt: { throughSeq: 5, throughChecksum: "ab".repeat(32) } }),
    "broken",
  ),
  v1("a beginning cut off", createBundleV1({ rows: ROWS_V1.slice(5) }), "broken"),
  v1("a beginning cut off, the link to it taken away", createBundleV1({ rows: HEADLESS_V1 }), "unproven"),
  v1(
    "a beginning cut off, the link to it taken away, a receipt of other entries",
    createBundleV1({ rows: HEADLESS_V1, receipt: { throughSeq: 3, throughChecksum: ROWS_V1[2]?.checksum ?? null } }),
    "unproven",
  ),
  v1(
    "a receipt of nothing",
    createBundleV1({ rows: ROWS_V1, receipt: { throughSeq: 0, throughChecksum: null } }),
    "intact",
  ),
  v1("a receipt of entries that are all there", createBundleV1({ rows: ROWS_V1, receipt: PRUNED_V1 }), "intact"),
  v1(
    "a receipt, and no row behind it",
    createBundleV1({ rows: [], receipt: PRUNED_V1, checkpoints: [5], genuine: ROWS_V1 }),
    "unproven",
  ),
  v1(
    "a receipt, and the row that a checkpoint names cut off behind it",
    createBundleV1({ rows: [], receipt: PRUNED_V1, checkpoints: [6], genuine: ROWS_V1 }),
    "broken",
  ),
  v1(
    "from the middle, a receipt of entries before",
    createBundleV1({
      rows: ROWS_V1.slice(5),
      start: { seq: 5, checksum: ROWS_V1[4]?.checksum ?? null },
      receipt: { throughSeq: 3, throughChecksum: ROWS_V1[2]?.checksum ?? null },
    }),
    "intact",
  ),
  v1(
    "from the middle, a receipt up to there that does not link",
    createBundleV1({
      rows: ROWS_V1.slice(5),
      start: { seq: 5, checksum: ROWS_V1[4]?.checksum ?? null },
      receipt: { throughSeq: 5, throughChecksum: "ab".repeat(32) },
    }),
    "unproven",
  ),
  v1("an end cut off behind a checkpoint", createBundleV1({ rows: ROWS_V1.slice(0, 5), checkpoints: [3] }), "unproven"),
  v1(
    "an end cut off before a checkpoint",
    createBundleV1({ rows: ROWS_V1.slice(0, 5), checkpoints: [9], genuine: ROWS_V1 }),
    "broken",
  ),
  v1("a row taken out", createBundleV1({ rows: ROWS_V1.filter(({ chainSeq }) => chainSeq !== 5) }), "broken"),
  v1(
    "two rows swapped",
    createBundleV1({ rows: ROWS_V1.toSpliced(3, 2, itemAt(ROWS_V1, 4), itemAt(ROWS_V1, 3)) }),
    "broken",
  ),
  v1("no rows at all", createBundleV1({ rows: [] }), "unproven"),
  v1(
    "another name in the header, which is not signed",
    createBundleV1({ rows: ROWS_V1, organization: "Innocent" }),
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
