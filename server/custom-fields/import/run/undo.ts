import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import type { ImportRecord } from "@/server/custom-fields/import/find-import";
import { presetOf } from "@/server/custom-fields/import/presets";
import type { UndoReport } from "@/server/custom-fields/import/schema";
import type { FieldValue } from "@/server/custom-fields/schema";
import { applyRows } from "./apply";
import { type ValuePatch, writeValues } from "./write-values";

type Values = Record<string, FieldValue | null>;
type Change = { n: number; d: string; o: string; p: Values; w: Values; s: string | null; now: Values | null };

/** Values to put back: those that still are what the import wrote. Others have been changed since and stay. */
export function restorePatch(change: { p: Values; w: Values; now: Values | null }): { patch: Values; left: number } {
  const patch: Values = {};
  let left = 0;
  for (const [fieldId, written] of Object.entries(change.w)) {
    if ((change.now?.[fieldId] ?? null) === written) patch[fieldId] = change.p[fieldId] ?? null;
    else left++;
  }
  return { patch, left };
}

async function dropSourceIds(tx: Tx, found: ImportRecord, changes: readonly Change[]): Promise<number> {
  const list = changes.filter(({ s }) => s !== null).map(({ s, d }) => ({ s, d }));
  if (list.length === 0) return 0;
  const gone = await tx.execute(sql`
    DELETE FROM device_source_ids t USING jsonb_to_recordset(${JSON.stringify(list)}::text::jsonb) AS r(s text, d uuid)
    WHERE t.partner_id = ${found.partnerId}::uuid AND t.source = ${presetOf(found.source).id}
      AND t.source_id = r.s AND t.device_id = r.d RETURNING 1`);
  return gone.length;
}

/**
 * Takes the next changes of an import back, in the caller's transaction together with the progress mark. Definitions
 * that the import made stay: somebody may have begun to use them.
 * @returns the number of the last row looked at, or null when none is left.
 */
export async function undoChunk(
  tx: Tx,
  found: ImportRecord,
  after: number,
  report: UndoReport,
): Promise<number | null> {
  const page = sql`
    SELECT * FROM custom_field_import_changes
    WHERE import_id = ${found.id}::uuid AND row_no > ${after} AND NOT undone ORDER BY row_no LIMIT ${applyRows(found.totalRows)}`;
  // Locked in the order of the devices, as every writer of many values does.
  await tx.execute(sql`
    SELECT 1 FROM custom_field_values v WHERE v.device_id IN (SELECT device_id FROM (${page}) c)
    ORDER BY v.device_id FOR UPDATE OF v`);
  const changes = await tx.execute<Change>(sql`
    SELECT c.row_no AS n, c.device_id AS d, c.org_id AS o, c.previous AS p, c.written AS w, c.recorded_source_id AS s, v."values" AS now
    FROM (${page}) c LEFT JOIN custom_field_values v ON v.device_id = c.device_id ORDER BY c.row_no`);
  const last = changes.at(-1);
  if (!last) return null;
  const patches: ValuePatch[] = [];
  for (const change of changes) {
    const { patch, left } = restorePatch(change);
    const restored = Object.keys(patch).length;
    if (restored > 0 && change.now) patches.push({ deviceId: change.d, orgId: change.o, patch, isNew: false });
    report.restored += change.now ? restored : 0;
    report.leftAlone += left;
  }
  await writeValues(tx, patches);
  report.sourceIdsRemoved += await dropSourceIds(tx, found, [...changes]);
  await tx.execute(sql`
    UPDATE custom_field_import_changes SET undone = true
    WHERE import_id = ${found.id}::uuid AND row_no > ${after} AND row_no <= ${last.n}`);
  return last.n;
}
