import { type SQL, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type AuditInsert, COLUMNS, FIELDS, type Field } from "@/server/audit/row";
import { log } from "@/server/ground/log";

/** Interval between samples. */
const EVERY_MS = 60_000;

/** A row stored differently than sent; seq 0 if it is missing. */
export type Difference = { orgId: string; id: string; seq: number; columns: string[] };

/** Stored form of a field: time in milliseconds, details as jsonb. */
const STORED: Partial<Record<Field, string>> = { timestamp: "timestamptz(3)" };
const column = (field: Field) => sql.identifier(COLUMNS[field].sql);
const sent = (field: Field) => sql`s.${column(field)}::${sql.raw(STORED[field] ?? COLUMNS[field].type)}`;
/** A known event sent again may have another time, and its API key another name. */
function isOther(field: Field) {
  const isOtherValue = sql`a.${column(field)} IS DISTINCT FROM ${sent(field)}`;
  if (field === "timestamp") return sql`(${isOtherValue} AND NOT coalesce(${sent("details")} ? 'submittedBy', false))`;
  if (field !== "details") return isOtherValue;
  const named = (details: SQL) =>
    sql`CASE WHEN jsonb_typeof(${details}) = 'object' THEN ${details} #- '{submittedBy,name}' ELSE ${details} END`;
  return sql`${named(sql`a.details`)} IS DISTINCT FROM ${named(sent(field))}`;
}

/** Reads rows of a committed batch and compares every column with what was sent. */
export function differencesIn(rows: readonly AuditInsert[]): Promise<Difference[]> {
  const values = FIELDS.map((field) => sql`${JSON.stringify(rows.map((row) => row[field]))}::jsonb`);
  const lists = values.map((list) => sql`ARRAY(SELECT value FROM jsonb_array_elements_text(${list}))`);
  const names = sql.join(FIELDS.map(column), sql`, `);
  const columns = FIELDS.map((field) => sql`CASE WHEN ${isOther(field)} THEN ${COLUMNS[field].sql} END`);
  return asSystem((tx) =>
    rowsOf<Difference>(
      tx,
      sql`SELECT s.org_id AS "orgId", s.id, coalesce(a.chain_seq, 0)::float8 AS seq,
          array_remove(ARRAY[${sql.join(columns, sql`, `)}]::text[], NULL) AS columns
        FROM unnest(${sql.join(lists, sql`, `)}) AS s (${names})
        LEFT JOIN audit_logs a ON a.org_id = s.org_id::uuid AND a.id = s.id::uuid
        WHERE ${sql.join(FIELDS.map(isOther), sql` OR `)}`,
    ),
  );
}

/** Compares one batch a minute with what this process sent, so that sealed equals acknowledged. */
export class Sample {
  #at = 0;

  constructor(private readonly onDifference: (found: Difference[]) => void) {}

  /** @param rows of a stored batch */
  committed(rows: () => AuditInsert[]): void {
    if (Date.now() - this.#at < EVERY_MS) return;
    this.#at = Date.now();
    differencesIn(rows()).then(
      (found) => found.length > 0 && this.onDifference(found),
      (error: unknown) => log.warn({ err: error }, "a batch of audit events could not be read again"),
    );
  }
}
