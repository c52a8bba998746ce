import { categoryOf } from "@/server/audit/actions";
import type { BodyRow } from "@/server/audit/query/rows";
import type { Field } from "@/server/audit/row";
import { type Cell, toCsv } from "@/server/ground/csv";
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

export const csvHeader = (): string => toCsv([CSV_COLUMNS]);

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
export const rowsToCsv = (rows: BodyRow[]): string => toCsv(rows.map(cellsOf));
