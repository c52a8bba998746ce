import { categoryOf } from "@/server/audit/actions";
import { BODY_ONLY, type BodyRow, ENTRY, type EntryRow, type Shape } from "@/server/audit/query/rows";
import type { Field } from "@/server/audit/row";
import type { ExportFormat } from "@/server/audit/vocabulary";
import { type Cell, toCsv } from "@/server/ground/csv";
import { writeExact } from "@/server/ground/exact-json";
import { actorName, detailsOf, toFullEntry } from "./to-entry";

/** Spec: the CSV columns in order. */
export const CSV_COLUMNS = [
  "id",
  "timestamp",
  "actorId",
  "actorName",
  "actorEmail",
  "action",
  "resourceType",
  "resourceId",
  "resourceName",
  "category",
  "result",
  "ipAddress",
  "userAgent",
  "details",
] as const satisfies readonly (Field | "actorName" | "category")[];

const csvHeader = (): string => toCsv([CSV_COLUMNS]);

function cellsOf(row: BodyRow): Cell[] {
  // Only an agent without a known device is named by its raw id, so details are rarely taken apart.
  const isNamedInDetails = row.actor_type === "agent" && !row.hostname && row.details?.includes('"rawActorId"');
  const details = isNamedInDetails ? detailsOf(row) : {};
  return [
    row.id,
    new Date(row.ms).toISOString(),
    row.actor_id,
    actorName(row, details),
    row.actor_email ?? row.user_email,
    row.action,
    row.resource_type,
    row.resource_id,
    row.resource_name,
    categoryOf(row.action),
    row.result,
    row.ip_address,
    row.user_agent,
    row.details ?? "{}",
  ];
}

/** Stored rows as CSV. */
const rowsToCsv = (rows: BodyRow[]): string => toCsv(rows.map(cellsOf));

/** How a format reads rows and writes them. */
type Writer<Row> = {
  shape: Shape<Row>;
  head: string;
  body: (rows: Row[], isFirst: boolean) => string;
  /** total counts every match, whether or not it is in the file. */
  tail: (total: number, isTruncated: boolean) => string;
};

type Plan = {
  /** The rows of the export in chunks, with the columns of a shape. */
  read: <Row extends BodyRow>(shape: Shape<Row>) => AsyncIterable<Row[]>;
  /** Awaited after each chunk, with the entries written so far. */
  onRows?: (rowsDone: number) => Promise<void>;
  /** How many entries match in all, from how many were written. */
  totalOf: (rowsDone: number) => { total: number; isTruncated: boolean };
  /** Filled with the number of entries written, by organization. */
  rowsPerOrg: Map<string, number>;
};
type Write = (plan: Plan) => AsyncGenerator<string>;

const writerOf = <Row extends BodyRow>(writer: Writer<Row>): Write =>
  async function* ({ read, onRows, totalOf, rowsPerOrg }) {
    let rowsDone = 0;
    yield writer.head;
    for await (const rows of read(writer.shape)) {
      for (const { org_id } of rows) rowsPerOrg.set(org_id, (rowsPerOrg.get(org_id) ?? 0) + 1);
      yield writer.body(rows, rowsDone === 0);
      rowsDone += rows.length;
      await onRows?.(rowsDone);
    }
    const { total, isTruncated } = totalOf(rowsDone);
    yield writer.tail(total, isTruncated);
  };

const lineOf = (row: EntryRow): string => writeExact(JSON.stringify(toFullEntry(row)));

const WRITERS: Record<ExportFormat, Write> = {
  /** The spec's fourteen columns. */
  csv: writerOf({ shape: BODY_ONLY, head: csvHeader(), body: rowsToCsv, tail: () => "" }),
  /** One object of full entries, as POST /audit-logs/export answers it. */
  json: writerOf({
    shape: ENTRY,
    head: '{"data":[',
    body: (rows, isFirst) => (isFirst ? "" : ",") + rows.map(lineOf).join(","),
    tail: (total, truncated) => `],"total":${total},"truncated":${truncated}}`,
  }),
  /** One full entry a line. */
  ndjson: writerOf({
    shape: ENTRY,
    head: "",
    body: (rows) => rows.map((row) => `${lineOf(row)}\n`).join(""),
    tail: () => "",
  }),
};

/** The text of an export in chunks. */
export const writeEntries = (format: ExportFormat, plan: Plan): AsyncGenerator<string> => WRITERS[format](plan);
