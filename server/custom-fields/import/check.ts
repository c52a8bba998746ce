import { sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { type Compiled, compile, emptyTally } from "./compile";
import { codesOf, count, type Derived, deriveRows, type StagedRow } from "./derive";
import type { ImportRecord, PartnerScope } from "./find-import";
import { MATCHED_OUTCOMES, type RowOutcome, type Tally } from "./schema";

/** Rows of one round: few statements for many rows, and some megabytes in memory. */
const CHECK_ROWS = 10_000;
/** Candidates kept of an ambiguous row. */
const MAX_CANDIDATES = 50;

type ReadRow = { n: number; c: string[]; x: string | null; p: string | null };

/** Staged rows after a row number, in order, with what a person picked for them. */
export async function readStaged(
  tx: Tx,
  importId: string,
  after: number,
  limit: number,
  only?: ReturnType<typeof sql>,
): Promise<StagedRow[]> {
  const rows = await tx.execute<ReadRow>(sql`
    SELECT s.row_no AS n, s.cells AS c, s.fault AS x, r.picked_device_id AS p
    FROM custom_field_import_rows s LEFT JOIN custom_field_import_results r ON r.import_id = s.import_id AND r.row_no = s.row_no
    WHERE s.import_id = ${importId}::uuid AND s.row_no > ${after} ${only ?? sql``}
    ORDER BY s.row_no LIMIT ${limit}`);
  return rows.map(({ n, c, x, p }) => ({ rowNo: n, cells: c, fault: x, picked: p }));
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

/** Stores results; a pick that a person made before stays. */
export async function storeResults(tx: Tx, c: Compiled, rows: readonly Derived[]): Promise<void> {
  await tx.execute(sql`
    INSERT INTO custom_field_import_results (import_id, row_no, partner_id, outcome, device_id, source_id, codes, reason, candidates)
    SELECT ${c.importId}::uuid, r.n, ${c.partnerId}::uuid, r.o, r.d, r.s, r.c, r.r, r.a
    FROM jsonb_to_recordset(${JSON.stringify(rows.map(toResult))}::text::jsonb)
      AS r(n int, o text, d uuid, s text, c text, r text, a uuid[])
    ON CONFLICT (import_id, row_no) DO UPDATE SET outcome = excluded.outcome, device_id = excluded.device_id,
      source_id = excluded.source_id, codes = excluded.codes, reason = excluded.reason, candidates = excluded.candidates,
      applied = false`);
}

/**
 * Two rows that reach one device, or give one source ID to two devices, contradict each other: none of them is applied.
 * Only a look over all rows can tell.
 */
async function markClaims(tx: Tx, c: Compiled, tally: Tally): Promise<void> {
  const changed = await tx.execute<{ before: RowOutcome; old: string; codes: string }>(sql`
    WITH matched AS (
      SELECT row_no, outcome, codes, device_id, source_id FROM custom_field_import_results
      WHERE import_id = ${c.importId}::uuid AND device_id IS NOT NULL
    ),
    devices_twice AS (SELECT device_id FROM matched GROUP BY device_id HAVING count(*) > 1),
    ids_twice AS (SELECT source_id FROM matched WHERE source_id IS NOT NULL GROUP BY source_id HAVING count(*) > 1),
    bad AS (
      SELECT m.*, t.device_id IS NOT NULL AS is_device FROM matched m
      LEFT JOIN devices_twice t USING (device_id) LEFT JOIN ids_twice i USING (source_id)
      WHERE t.device_id IS NOT NULL OR i.source_id IS NOT NULL
    )
    UPDATE custom_field_import_results r SET outcome = 'identity_conflict', device_id = NULL, candidates = ARRAY[b.device_id],
      codes = translate(b.codes, 's=koc', '-----'),
      reason = CASE WHEN b.is_device THEN 'another row of the file claims the same device'
        ELSE 'the file gives this source ID to two devices' END
    FROM bad b WHERE r.import_id = ${c.importId}::uuid AND r.row_no = b.row_no
    RETURNING b.outcome AS before, b.codes AS old, r.codes`);
  for (const { before, old, codes } of changed) {
    count(tally, before, old, -1);
    count(tally, "identity_conflict", codes);
  }
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
    let after = 0;
    for (;;) {
      const staged = await readStaged(tx, found.id, after, CHECK_ROWS);
      const last = staged.at(-1);
      if (!last) break;
      const derived = await deriveRows(tx, c, staged);
      for (const row of derived) count(tally, row.outcome, codesOf(row));
      await storeResults(tx, c, derived);
      after = last.rowNo;
      await onRows(after);
    }
    await markClaims(tx, c, tally);
    return tally;
  });
}
