import { categoryOf } from "@/server/audit/actions";
import type { BodyRow } from "@/server/audit/query/rows";
import type { Field } from "@/server/audit/row";
import { actorName, detailsOf } from "./to-entry";

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

const QUOTED = /[",\r\n]/;
/** First characters by which a spreadsheet takes a cell for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** One cell by RFC 4180; what a spreadsheet would run gets an apostrophe in front. */
function toCell(value: string | null): string {
  if (!value) return "";
  const text = FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const toRecord = (cells: readonly (string | null)[]): string => `${cells.map(toCell).join(",")}\r\n`;

export const csvHeader = (): string => toRecord(CSV_COLUMNS);

function cellsOf(row: BodyRow): (string | null)[] {
  // Only an agent without a known device is named by its raw id, so details are rarely taken apart.
  const nameless = row.actor_type === "agent" && !row.hostname && row.details;
  const details = nameless ? detailsOf(row) : {};
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

/** Stored rows as CSV records, RFC 4180 with CRLF. */
export const toCsv = (rows: BodyRow[]): string => rows.map((row) => toRecord(cellsOf(row))).join("");
