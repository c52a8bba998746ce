import { type SQL, sql } from "drizzle-orm";
import { ints, uuids } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type RowOutcome, WRITE_CODES } from "@/server/custom-fields/import/outcome-schema";
import type { StagedRow } from "@/server/custom-fields/import/reader/stage-rows";
import { inRange, type Range, readStaged } from "./staged";

/** Result of the check for a row (or of the run, if different). */
export type Result = {
  rowNo: number;
  outcome: RowOutcome;
  reason: string | null;
  deviceId: string | null;
  sourceId: string | null;
  /** One letter per mapped field. */
  codes: string;
  candidates: string[] | null;
  pickedDeviceId: string | null;
};
export type ResultRow = Result & Omit<StagedRow, "fault">;
/** Picked candidate by row number. */
export type Picks = ReadonlyMap<number, string>;
type Import = { importId: string; partnerId: string };

export async function insertResults(tx: Tx, { importId, partnerId }: Import, rows: readonly Result[]): Promise<void> {
  await tx.execute(sql`
    INSERT INTO custom_field_import_results
      (import_id, row_no, partner_id, outcome, device_id, source_id, codes, reason, candidates, picked_device_id)
    SELECT ${importId}::uuid, r."rowNo", ${partnerId}::uuid, r.outcome, r."deviceId", r."sourceId", r.codes, r.reason,
      r.candidates, r."pickedDeviceId"
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      AS r("rowNo" int, outcome text, "deviceId" uuid, "sourceId" text, codes text, reason text, candidates uuid[],
        "pickedDeviceId" uuid)`);
}

export async function replaceResult(tx: Tx, of: Import, row: Result): Promise<void> {
  await tx.execute(sql`
    DELETE FROM custom_field_import_results WHERE import_id = ${of.importId}::uuid AND row_no = ${row.rowNo}`);
  await insertResults(tx, of, [row]);
}

/** Removes all results. @returns people's picks, for the next check */
export async function clearResults(tx: Tx, importId: string): Promise<Picks> {
  const picks = await rowsOf<{ rowNo: number; deviceId: string }>(
    tx,
    sql`
    WITH removed AS (
      DELETE FROM custom_field_import_results WHERE import_id = ${importId}::uuid RETURNING row_no, picked_device_id
    )
    SELECT row_no AS "rowNo", picked_device_id AS "deviceId" FROM removed WHERE picked_device_id IS NOT NULL`,
  );
  return new Map(picks.map(({ rowNo, deviceId }) => [rowNo, deviceId]));
}

/** Place of a row in its file, looked up by key whatever the planner assumes about the table. */
const placeOf = (importId: string, rowNo: SQL) => sql`
    CROSS JOIN LATERAL (
      SELECT s.file_no AS "fileNo", s.line FROM custom_field_import_rows s
      WHERE s.import_id = ${importId}::uuid AND s.row_no = ${rowNo} OFFSET 0
    ) place`;

type Claim = Pick<Result, "rowNo" | "outcome" | "codes" | "sourceId" | "pickedDeviceId"> & {
  deviceId: string;
  isTwice: boolean;
  fileNo: number;
  line: number;
};

/**
 * Rows that reach a device another row also reaches (isTwice; picked devices count), or whose source ID another row
 * gives to its own device. Requires a query over all rows.
 */
export const readClaims = (tx: Tx, importId: string) =>
  rowsOf<Claim>(
    tx,
    sql`
    SELECT "rowNo", outcome, codes, "sourceId", "deviceId", "pickedDeviceId", "isTwice", "fileNo", line FROM (
      SELECT row_no AS "rowNo", outcome, codes, source_id AS "sourceId", picked_device_id AS "pickedDeviceId", reached.id AS "deviceId",
        count(*) OVER (PARTITION BY reached.id) > 1 AS "isTwice",
        source_id IS NOT NULL AND count(*) OVER (PARTITION BY source_id) > 1 AS shares_source_id
      FROM custom_field_import_results r
      CROSS JOIN LATERAL (SELECT CASE outcome WHEN 'ambiguous' THEN picked_device_id ELSE device_id END AS id) reached
      WHERE import_id = ${importId}::uuid AND reached.id IS NOT NULL
    ) resolved
    ${placeOf(importId, sql`resolved."rowNo"`)}
    WHERE "isTwice" OR shares_source_id ORDER BY "rowNo"`,
  );

/**
 * Stores outcomes that differ from the row's own result: conflicts, which are applied to no device, and those of the
 * run. An upsert, which always uses the key's index.
 */
export async function markOutcomes(
  tx: Tx,
  { importId, partnerId }: Import,
  rows: readonly (Pick<Result, "rowNo" | "outcome" | "codes" | "reason"> & Partial<Pick<Result, "candidates">>)[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    INSERT INTO custom_field_import_results AS known (import_id, row_no, partner_id, outcome, codes, reason, candidates)
    SELECT ${importId}::uuid, r."rowNo", ${partnerId}::uuid, r.outcome, r.codes, r.reason, r.candidates
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      AS r("rowNo" int, outcome text, codes text, reason text, candidates uuid[])
    ON CONFLICT (import_id, row_no) DO UPDATE SET outcome = excluded.outcome, codes = excluded.codes,
      reason = excluded.reason, candidates = COALESCE(excluded.candidates, known.candidates),
      device_id = CASE WHEN excluded.outcome <> 'identity_conflict' THEN known.device_id END`);
}

export type ResolvedResult = Pick<Result, "rowNo" | "outcome" | "codes" | "deviceId" | "pickedDeviceId">;

/** Rows with a device from the check or a person. */
const resolved = sql`(device_id IS NOT NULL OR (outcome = 'ambiguous' AND picked_device_id IS NOT NULL))`;
/** Rows with something to write: a value, or the source ID of a device found by other identifiers. */
const withWork = sql`
  (translate(codes, ${WRITE_CODES}, '') <> codes OR (source_id IS NOT NULL AND outcome <> 'matched_source_id'))`;

/** Next row with something to write; null if none is left. */
export async function findWork(tx: Tx, importId: string, after: number): Promise<number | null> {
  const [row] = await rowsOf<{ rowNo: number }>(
    tx,
    sql`
    SELECT row_no AS "rowNo" FROM custom_field_import_results
    WHERE import_id = ${importId}::uuid AND row_no > ${after} AND ${resolved} AND ${withWork} ORDER BY row_no LIMIT 1`,
  );
  return row?.rowNo ?? null;
}

/** Rows of a range with something to write. */
export const readWork = (tx: Tx, importId: string, range: Range) =>
  rowsOf<ResolvedResult>(
    tx,
    sql`
    SELECT row_no AS "rowNo", outcome, codes, device_id AS "deviceId", picked_device_id AS "pickedDeviceId"
    FROM custom_field_import_results
    WHERE import_id = ${importId}::uuid AND ${inRange(range)} AND ${resolved} AND ${withWork}`,
  );

/** Rows of a range with a device and nothing to write, counted by kind. */
export const countIdle = (tx: Tx, importId: string, range: Range) =>
  rowsOf<Pick<Result, "outcome" | "codes"> & { rows: number }>(
    tx,
    sql`
    SELECT outcome, codes, count(*)::int AS rows FROM custom_field_import_results
    WHERE import_id = ${importId}::uuid AND ${inRange(range)}
      AND ${resolved} AND NOT ${withWork}
    GROUP BY 1, 2`,
  );

/** Results after a row number, in order, with their staged rows; one statement per table. */
export async function readResults(
  tx: Tx,
  importId: string,
  { after, limit, only = sql`` }: { after: number; limit: number; only?: SQL },
): Promise<ResultRow[]> {
  const results = await rowsOf<Result>(
    tx,
    sql`
    SELECT r.row_no AS "rowNo", r.outcome, r.reason, r.device_id AS "deviceId", r.source_id AS "sourceId", r.codes,
      r.candidates, r.picked_device_id AS "pickedDeviceId"
    FROM custom_field_import_results r WHERE r.import_id = ${importId}::uuid AND r.row_no > ${after} ${only}
    ORDER BY r.row_no LIMIT ${limit}`,
  );
  const rowNos = results.map(({ rowNo }) => rowNo);
  const staged = await readStaged(tx, importId, sql`row_no = ANY(${ints(rowNos)})`);
  const byNo = new Map(staged.map(({ fault: _, ...row }) => [row.rowNo, row]));
  return results.flatMap((result) => {
    const row = byNo.get(result.rowNo);
    return row ? [{ ...row, ...result }] : [];
  });
}

export type RelatedRow = {
  rowNo: number;
  sourceId: string | null;
  devices: string[];
  fileNo: number;
  line: number;
};

/** Rows about any of the devices: matched, picked or candidates. */
export const readRowsAbout = (
  tx: Tx,
  importId: string,
  { deviceIds, limit }: { deviceIds: readonly string[]; limit: number },
) =>
  rowsOf<RelatedRow>(
    tx,
    sql`
    SELECT r.row_no AS "rowNo", source_id AS "sourceId",
      array_remove(COALESCE(candidates, '{}') || device_id || picked_device_id, NULL) AS devices, "fileNo", line
    FROM custom_field_import_results r
    ${placeOf(importId, sql`r.row_no`)}
    WHERE import_id = ${importId}::uuid
      AND (device_id = ANY(${uuids(deviceIds)}) OR candidates && ${uuids(deviceIds)})
    ORDER BY row_no LIMIT ${limit}`,
  );

/** Another row that reaches the device or gives the same source ID, for which one pick would decide both rows. */
export async function findRival(
  tx: Tx,
  importId: string,
  { rowNo, deviceId, sourceId }: { rowNo: number; deviceId: string; sourceId: string | null },
): Promise<{ rowNo: number; hasDevice: boolean } | undefined> {
  const [rival] = await rowsOf<{ rowNo: number; hasDevice: boolean }>(
    tx,
    sql`
    SELECT row_no AS "rowNo", has_device AS "hasDevice" FROM custom_field_import_results
    CROSS JOIN LATERAL (SELECT ${deviceId}::uuid IN (device_id, picked_device_id) IS TRUE AS has_device) reached
    WHERE import_id = ${importId}::uuid AND row_no <> ${rowNo} AND (has_device OR source_id = ${sourceId})
    ORDER BY has_device DESC, row_no LIMIT 1`,
  );
  return rival;
}
