import { tenant } from "@/db/client";
import { organizations } from "@/db/schema";
import { categoryOf } from "@/server/audit/actions";
import type { ExportFormat } from "@/server/audit/export-formats";
import { submitterIn } from "@/server/audit/provenance";
import { BODY_ONLY, type BodyRow, ENTRY, type EntryRow, type Shape } from "@/server/audit/query/rows";
import type { Field } from "@/server/audit/row";
import { sentenceText } from "@/server/audit/sentence";
import type { Ctx } from "@/server/ground/context";
import { type Cell, toCsv } from "@/server/ground/csv";
import { writeExact } from "@/server/ground/exact-json";
import { inScope } from "@/server/ground/scope";
import { actorName, detailsOf, toFullEntry } from "./to-entry";

/** CSV columns: the spec's fourteen in order, then ours. */
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
  "submittedBy",
] as const satisfies readonly (Field | "actorName" | "category" | "submittedBy")[];

/** Columns for Excel: those of CSV, then readable names. */
const SPREADSHEET_COLUMNS = [...CSV_COLUMNS, "organization", "errorMessage", "sentence"] as const;
/** Without it, Excel assumes the system's code page. */
const BYTE_ORDER_MARK = "\uFEFF";

function cellsOf(row: BodyRow): Cell[] {
  // Parses details only for an agent without a known device, which would otherwise appear as a raw id.
  const isNamedInDetails = row.actor_type === "agent" && !row.hostname && row.details?.includes('"rawActorId"');
  const details = isNamedInDetails ? detailsOf(row) : {};
  const by = submitterIn(row.details);
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
    by && `${by.name} (${by.keyId})`,
  ];
}

const rowsToCsv = (rows: BodyRow[]): string => toCsv(rows.map(cellsOf));

/** Reads and writes the rows of a format. */
type Writer<Row> = {
  shape: Shape<Row>;
  head: string;
  body: (rows: Row[], isFirst: boolean) => string;
  /** total counts every match, in the file or not. */
  tail: (total: number, isTruncated: boolean) => string;
};

type Plan = {
  ctx: Ctx;
  /** Rows of the export in chunks, with the columns of a shape. */
  read: <Row extends BodyRow>(shape: Shape<Row>) => AsyncIterable<Row[]>;
  /** Awaited after each chunk, with the entries written so far. */
  onRows?: (rowsDone: number) => Promise<void>;
  /** Total matches, given the number of rows written. */
  totalOf: (rowsDone: number) => { total: number; isTruncated: boolean };
  /** Receives the number of entries written, by organization. */
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

type OrgNames = ReadonlyMap<string, string>;

const orgNames = ({ scope }: Ctx): Promise<OrgNames> =>
  tenant(scope, async (tx) => {
    const { id, name } = organizations;
    const rows = await tx.select({ id, name }).from(organizations).where(inScope(id, scope));
    return new Map(rows.map((row) => [row.id, row.name]));
  });

function spreadsheetCells(row: EntryRow, names: OrgNames): Cell[] {
  const organization = names.get(row.org_id);
  return [...cellsOf(row), organization, row.error_message, sentenceText(toFullEntry(row), organization)];
}

async function* writeSpreadsheet(plan: Plan): AsyncGenerator<string> {
  const names = await orgNames(plan.ctx);
  yield* writerOf({
    shape: ENTRY,
    head: BYTE_ORDER_MARK + toCsv([SPREADSHEET_COLUMNS]),
    body: (rows) => toCsv(rows.map((row) => spreadsheetCells(row, names))),
    tail: () => "",
  })(plan);
}

const lineOf = (row: EntryRow): string => writeExact(JSON.stringify(toFullEntry(row)));

const WRITERS: Record<ExportFormat, Write> = {
  spreadsheet: writeSpreadsheet,
  csv: writerOf({ shape: BODY_ONLY, head: toCsv([CSV_COLUMNS]), body: rowsToCsv, tail: () => "" }),
  /** One object of full entries, as in the answer to POST /audit-logs/export. */
  json: writerOf({
    shape: ENTRY,
    head: '{"data":[',
    body: (rows, isFirst) => (isFirst ? "" : ",") + rows.map(lineOf).join(","),
    tail: (total, truncated) => `],"total":${total},"truncated":${truncated}}`,
  }),
  /** One full entry per line. */
  ndjson: writerOf({
    shape: ENTRY,
    head: "",
    body: (rows) => rows.map((row) => `${lineOf(row)}\n`).join(""),
    tail: () => "",
  }),
};

export const writeEntries = (format: ExportFormat, plan: Plan): AsyncGenerator<string> => WRITERS[format](plan);
