import { sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { type Compiled, compile, emptyTally } from "@/server/custom-fields/import/decide/compile";
import { codesOf, count, type Derived, deriveRows, type StagedRow } from "@/server/custom-fields/import/decide/derive";
import type { ImportRecord, PartnerScope } from "@/server/custom-fields/import/find-import";
import { MATCHED_OUTCOMES, type RowOutcome, type Tally, VALUE_CODES } from "@/server/custom-fields/import/schema";

/** Rows of one round: few statements for many rows, and some megabytes in memory. */
const CHECK_ROWS = 10_000;
/** Candidates kept of an ambiguous row. */
const MAX_CANDIDATES = 50;

type ReadRow = { n: number; c: string[]; x: string | null };
/** Row number to the candidate that a person picked. */
export type Picks = ReadonlyMap<number, string>;

/** Staged rows of a range of row numbers, which count from 1 without gaps. */
export async function readStaged(
  tx: Tx,
  importId: string,
  after: number,
  through: number,
  picks: Picks,
): Promise<StagedRow[]> {
  const rows = await tx.execute<ReadRow>(sql`
    SELECT row_no AS n, cells AS c, fault AS x FROM custom_field_import_rows
    WHERE import_id = ${importId}::uuid AND row_no > ${after} AND row_no <= ${through} ORDER BY row_no`);
  return rows.map(({ n, c, x }) => ({ rowNo: n, cells: c, fault: x, picked: picks.get(n) ?? null }));
}

/** Takes the results of the check before away; what people picked is kept. */
async function clearResults(tx: Tx, importId: string): Promise<Picks> {
  const gone = await tx.execute<{ n: number; p: string }>(sql`
    WITH gone AS (DELETE FROM custom_field_import_results WHERE import_id = ${importId}::uuid RETURNING row_no, picked_device_id)
    SELECT row_no AS n, picked_device_id AS p FROM gone WHERE picked_device_id IS NOT NULL`);
  return new Map(gone.map(({ n, p }) => [n, p]));
}

const toResult = (derived: Derived) => ({
  n: derived.rowNo,
  o: derived.outcome,
  d: MATCHED_OUTCOMES.includes(derived.outcome) ? (derived.device?.id ?? null) : null,
  s: derived.identity.sourceId,
  c: codesOf(derived),
  r: derived.reason,
  a: derived.candidates.length > 0 ? derived.candidates.slice(0, MAX_CANDIDATES).map(({ id }) => id) : null,
});

async function storeResults(tx: Tx, c: Compiled, rows: readonly Derived[], picks: Picks): Promise<void> {
  const list = rows.map((row) => ({ ...toResult(row), p: picks.get(row.rowNo) }));
  await tx.execute(sql`
    INSERT INTO custom_field_import_results
      (import_id, row_no, partner_id, outcome, device_id, source_id, codes, reason, candidates, picked_device_id)
    SELECT ${c.importId}::uuid, r.n, ${c.partnerId}::uuid, r.o, r.d, r.s, r.c, r.r, r.a, r.p
    FROM jsonb_to_recordset(${JSON.stringify(list)}::text::jsonb)
      AS r(n int, o text, d uuid, s text, c text, r text, a uuid[], p uuid)`);
}

/** Brings one row's result up to date. */
export async function replaceResult(tx: Tx, c: Compiled, row: Derived, picked: string | null): Promise<void> {
  await tx.execute(sql`
    DELETE FROM custom_field_import_results WHERE import_id = ${c.importId}::uuid AND row_no = ${row.rowNo}`);
  await storeResults(tx, c, [row], picked ? new Map([[row.rowNo, picked]]) : new Map());
}

type Claim = { n: number; o: RowOutcome; c: string; d: string; twice: boolean };

/**
 * Two rows that reach one device (a picked one too), or give one source ID to two devices, contradict each other: none
 * of them is applied.
 * Only a look over all rows can tell.
 */
async function markClaims(tx: Tx, c: Compiled, tally: Tally): Promise<void> {
  const claims = await tx.execute<Claim>(sql`
    SELECT n, o, c, d, twice FROM (
      SELECT row_no AS n, outcome AS o, codes AS c, d, count(*) OVER (PARTITION BY d) > 1 AS twice,
        source_id IS NOT NULL AND count(*) OVER (PARTITION BY source_id) > 1 AS known
      FROM custom_field_import_results r
      CROSS JOIN LATERAL (SELECT CASE outcome WHEN 'ambiguous' THEN picked_device_id ELSE device_id END AS d) meant
      WHERE import_id = ${c.importId}::uuid AND d IS NOT NULL
    ) resolved WHERE twice OR known`);
  const rows = claims.map(({ n, o, c: old, d, twice }) => {
    const codes = old.replace(/[s=koc]/g, VALUE_CODES.none);
    count(tally, o, old, -1);
    count(tally, "identity_conflict", codes);
    const reason = twice
      ? "another row of the file claims the same device"
      : "the file gives this source ID to two devices";
    return { n, c: codes, r: reason, a: [d] };
  });
  if (rows.length === 0) return;
  await tx.execute(sql`
    INSERT INTO custom_field_import_results (import_id, row_no, partner_id, outcome, codes, reason, candidates)
    SELECT ${c.importId}::uuid, r.n, ${c.partnerId}::uuid, 'identity_conflict', r.c, r.r, r.a
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS r(n int, c text, r text, a uuid[])
    ON CONFLICT (import_id, row_no) DO UPDATE SET outcome = excluded.outcome, device_id = NULL, codes = excluded.codes,
      reason = excluded.reason, candidates = excluded.candidates`);
}

/**
 * The dry run: what would happen to every row and value, by the database as it is now. Writes results, no value and no
 * definition. One transaction, so that a kill leaves the check before in force.
 */
export async function checkRows(
  found: ImportRecord,
  scope: PartnerScope,
  onRows: (rows: number) => Promise<void>,
): Promise<Tally> {
  return tenant(scope, async (tx) => {
    const c = await compile(tx, found, scope);
    const tally = emptyTally(c.fields);
    const picks = await clearResults(tx, found.id);
    const derive = async (after: number) =>
      deriveRows(tx, c, await readStaged(tx, found.id, after, after + CHECK_ROWS, picks));
    // The database reads the next rows while this process still decides on the last ones.
    let next = derive(0);
    for (let after = 0; after < found.totalRows; after += CHECK_ROWS) {
      const derived = await next;
      next = after + CHECK_ROWS < found.totalRows ? derive(after + CHECK_ROWS) : next;
      next.catch(() => {});
      for (const row of derived) count(tally, row.outcome, codesOf(row));
      await storeResults(tx, c, derived, picks);
      await onRows(Math.min(after + CHECK_ROWS, found.totalRows));
    }
    await markClaims(tx, c, tally);
    return tally;
  });
}
