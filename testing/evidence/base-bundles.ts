import { checksumOf } from "@/server/evidence/chain/chain-hash";
import { ED25519 } from "@/server/evidence/tree/signed-note";
import { testKey } from "@/testing/notes";
import { chainRows, createBundle, HOUR_MS, ORIGIN } from "./bundles";

/** Bundles before and after changes, with the required verdict of every verifier under the log's key. */

export type Mutation = {
  name: string;
  text: string;
  /** Under the log's own key; without keys at best not proven. */
  verdict: "intact" | "empty" | "broken" | "unproven" | "unreadable";
  /** Its seal has a signature of an unknown key, whose change affects nothing proven. */
  hasUnknownSigner?: true;
};

export const ROWS = chainRows(11);
const OTHER = chainRows(11, (row) => {
  if (row.chainSeq === 2) row.action = "device.harmless";
});
/** Another installation's key, with the same names. */
export const strangerKey = testKey(9, ORIGIN, ED25519);
export const timeOf = (seq: number) => new Date(Date.parse("2026-10-01T00:00:00.000Z") + seq * HOUR_MS).toISOString();

const basesOf = (rows: typeof ROWS) => ({
  whole: createBundle({ rows }),
  sequence: createBundle({ rows, range: { kind: "sequence", first: 4, last: 6 } }),
  time: createBundle({
    rows,
    range: { kind: "time", from: timeOf(3), to: timeOf(9) },
    shown: (row) => [3, 4, 7, 9].includes(row.chainSeq),
  }),
  pruned: createBundle({ rows, receipt: { through: 5 } }),
});
export const BASES = basesOf(ROWS);
export const OTHERS = basesOf(OTHER);
export type Base = keyof typeof BASES;

export const linesOf = (text: string): string[] => text.slice(0, -1).split("\n");
export const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** Rows changed, with everything after them rehashed and relinked. */
function rehashed(): typeof ROWS {
  const rows = ROWS.map((row) => ({ ...row }));
  for (const [i, row] of rows.entries()) {
    if (row.chainSeq === 5) row.action = "device.harmless";
    row.prevChecksum = rows[i - 1]?.checksum ?? null;
    row.checksum = checksumOf(row);
  }
  return rows;
}

export const FORGED = rehashed();
