import { stringify } from "csv-stringify/sync";
import { categoryOf } from "./actions";
import type { EntryRow } from "./row-query";
import { actorName } from "./to-entry";

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
] as const;

/**
 * RFC 4180 with CRLF. A cell that a spreadsheet would run as a formula gets an apostrophe in front; the library quotes
 * for its own delimiter alone, so a lone CR or LF is named here.
 */
const OPTIONS = { escape_formulas: true, record_delimiter: "\r\n", quoted_match: /[\r\n]/ };

export const csvHeader = (): string => stringify([[...CSV_COLUMNS]], OPTIONS);

function cellsOf(row: EntryRow): (string | null)[] {
  const details = row.actor_type === "agent" && row.details ? (JSON.parse(row.details) as Record<string, unknown>) : {};
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

/** Stored rows as CSV records. */
export const toCsv = (rows: EntryRow[]): string => stringify(rows.map(cellsOf), OPTIONS);
