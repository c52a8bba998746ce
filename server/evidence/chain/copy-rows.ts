import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { CopyBinaryReader, type CopyRow, lengthOf, startOf } from "@/db/copy/copy-binary";
import { rowsOf } from "@/db/rows";
import { type ChainRow, COLUMNS, FIELDS, type Field, SEALED_FIELDS } from "@/server/audit/row";
import type { BundleRow } from "./chain";
import { RAW_COLUMNS, RawRow } from "./raw-row";
import { RunCollector } from "./run-collector";
import type { Link, Run } from "./verifier";

const asText = (field: Field): string => {
  const { sql, type } = COLUMNS[field];
  if (type === "timestamptz") return `(extract(epoch FROM "${sql}") * 1000)::bigint::text`;
  return type === "text" ? sql : `${sql}::text`;
};

/** Fields of a sealed row (SEALED_FIELDS) as SQL expressions for the hashed text. */
const SEALED_COLUMNS = ["prev_checksum", "chain_seq::text", ...FIELDS.map(asText), "checksum"];

/** Sequences from first through last; null is an open end, which also includes rows that should not exist. */
export type SeqRange = { first: number | null; last: number | null };

/**
 * COPY of a part of a chain in order, for RawRow. COPY takes no parameters; the values are a checked UUID and numbers.
 */
export function copyQuery(orgId: string, { first, last }: SeqRange): string {
  const conditions = [
    `org_id = '${orgId.replace(/[^0-9a-f-]/gi, "")}'`,
    "chain_seq IS NOT NULL",
    ...(first === null ? [] : [`chain_seq >= ${Math.floor(first)}`]),
    ...(last === null ? [] : [`chain_seq <= ${Math.floor(last)}`]),
  ];
  return `COPY (SELECT ${RAW_COLUMNS} FROM audit_logs WHERE ${conditions.join(" AND ")} ORDER BY audit_logs.chain_seq) TO STDOUT (FORMAT binary)`;
}

const COLUMNS_OF_ROW = sql.raw(SEALED_FIELDS.map((field, i) => `${SEALED_COLUMNS[i]} AS "${field}"`).join(", "));

/** Some sealed rows between two sequences, in order, with their stored checksums. */
export const readChainRows = (tx: Tx, orgId: string, { first, last }: { first: number; last: number }) =>
  rowsOf<ChainRow & { checksum: string }>(
    tx,
    sql`SELECT ${COLUMNS_OF_ROW} FROM audit_logs
      WHERE org_id = ${orgId} AND audit_logs.chain_seq BETWEEN ${first} AND ${last} ORDER BY audit_logs.chain_seq`,
  );

/** One sealed row as hashed by the chain; null if missing, of another organization or not yet sealed. */
export async function readChainRow(tx: Tx, orgId: string, id: string): Promise<ChainRow | null> {
  const columns = SEALED_FIELDS.map((field, i) => `${SEALED_COLUMNS[i]} AS "${field}"`).slice(0, -1);
  const [row] = await rowsOf<ChainRow>(
    tx,
    sql`SELECT ${sql.raw(columns.join(", "))} FROM audit_logs
      WHERE org_id = ${orgId} AND id = ${id} AND chain_seq IS NOT NULL`,
  );
  return row ?? null;
}

/** The columns for a COPY, which orders by audit_logs.chain_seq: a bare chain_seq is the text. */
export const CHAIN_COLUMNS = SEALED_COLUMNS.join(", ");

function textOf(row: CopyRow, field: number): string | null {
  const length = lengthOf(row, field);
  const start = startOf(row, field);
  return length < 0 ? null : row.data.toString("utf8", start, start + length);
}

/** Hashes the rows of a copyQuery directly from their bytes and emits each as a link. */
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

/** Emits the rows in runs; `end` emits the last one, `count` is the number of rows so far. */
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

/** Reads rows of a COPY over CHAIN_COLUMNS as lines of an evidence bundle. */
export function createRowReader(onRow: (row: BundleRow) => void): CopyBinaryReader {
  return new CopyBinaryReader(SEALED_FIELDS.length, (row) => {
    const members = SEALED_FIELDS.map((name, field) => {
      const value = textOf(row, field);
      return [name, name === "chainSeq" || name === "timestampMs" ? Number(value) : value];
    });
    onRow({ type: "row", ...Object.fromEntries(members) });
  });
}
