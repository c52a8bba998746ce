import { COLUMNS, FIELDS, type Field, SEALED_FIELDS } from "@/server/audit/row";
import type { BundleRow } from "./chain";
import { CopyBinaryReader, type CopyRow, lengthOf, startOf } from "./copy-binary";
import { RawRow } from "./raw-row";
import { RunCollector } from "./run-collector";
import type { Link, Run } from "./verifier";

const asText = (field: Field): string => {
  const { sql, type } = COLUMNS[field];
  if (type === "timestamptz") return `(extract(epoch FROM "${sql}") * 1000)::bigint::text`;
  return type === "text" ? sql : `${sql}::text`;
};

/** A sealed row's fields (SEALED_FIELDS) as expressions for the text that is hashed. */
export const SEALED_COLUMNS = ["prev_checksum", "chain_seq::text", ...FIELDS.map(asText), "checksum"];

/** The same as the columns of a COPY, in which chain_seq must stay the name of the number. */
export const CHAIN_COLUMNS = SEALED_COLUMNS.map((column) =>
  column === "chain_seq::text" ? `${column} AS seq_text` : column,
).join(", ");

function textOf(row: CopyRow, field: number): string | null {
  const length = lengthOf(row, field);
  const start = startOf(row, field);
  return length < 0 ? null : row.data.toString("utf8", start, start + length);
}

/** Hashes the rows of a copyQuery straight from their bytes and hands over each as a link. */
export function createLinkReader(onLink: (link: Link) => void): CopyBinaryReader {
  const raw = new RawRow();
  let before = "";
  return new CopyBinaryReader(SEALED_FIELDS.length, (row) => {
    raw.read(row);
    const link = raw.toLink(before);
    before = link.checksum;
    onLink(link);
  });
}

/** The same in runs; `end` hands over the last one, `count` says how many rows there were so far. */
export function createRunReader(mark: number | undefined, onRun: (run: Run) => void) {
  const raw = new RawRow();
  const runs = new RunCollector(mark, onRun);
  let rows = 0;
  const reader = new CopyBinaryReader(SEALED_FIELDS.length, (row) => {
    raw.read(row);
    runs.add(raw);
    rows++;
  });
  return { push: (chunk: Buffer) => reader.push(chunk), end: () => runs.end(), count: () => rows };
}

/** Rows of a COPY over CHAIN_COLUMNS as the lines of an evidence bundle hold them. */
export function createRowReader(onRow: (row: BundleRow) => void): CopyBinaryReader {
  return new CopyBinaryReader(SEALED_FIELDS.length, (row) => {
    const members = SEALED_FIELDS.map((name, field) => {
      const value = textOf(row, field);
      return [name, name === "chainSeq" || name === "timestampMs" ? Number(value) : value];
    });
    onRow({ type: "row", ...Object.fromEntries(members) });
  });
}
