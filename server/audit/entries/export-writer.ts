import { BODY_ONLY, type BodyRow, ENTRY, type EntryRow, type Shape } from "@/server/audit/query/rows";
import { writeExact } from "@/server/ground/exact-json";
import { csvHeader, rowsToCsv } from "./export-csv";
import { toFullEntry } from "./to-entry";

/** How a format reads rows and writes them. */
export type Writer<Row> = {
  shape: Shape<Row>;
  head: string;
  body: (rows: Row[], isFirst: boolean) => string;
  /** total counts every match, whether or not it is in the file. */
  tail: (total: number, isTruncated: boolean) => string;
};

const lineOf = (row: EntryRow): string => writeExact(JSON.stringify(toFullEntry(row)));

/** The spec's fourteen columns. */
export const asCsv: Writer<BodyRow> = { shape: BODY_ONLY, head: csvHeader(), body: rowsToCsv, tail: () => "" };

/** One object of full entries, as POST /audit-logs/export answers it. */
export const asJson: Writer<EntryRow> = {
  shape: ENTRY,
  head: '{"data":[',
  body: (rows, isFirst) => (isFirst ? "" : ",") + rows.map(lineOf).join(","),
  tail: (total, truncated) => `],"total":${total},"truncated":${truncated}}`,
};

/** One full entry a line. */
export const asNdjson: Writer<EntryRow> = {
  shape: ENTRY,
  head: "",
  body: (rows) => rows.map((row) => `${lineOf(row)}\n`).join(""),
  tail: () => "",
};
