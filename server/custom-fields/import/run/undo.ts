import type { Tx } from "@/db/client";
import { coerceValue, type FieldRule } from "@/server/custom-fields/coerce";
import { rulesOf } from "@/server/custom-fields/definitions";
import { rowsAtOnce, rowsPerTransaction } from "@/server/custom-fields/import/decide/batch-size";
import type { ImportRecord } from "@/server/custom-fields/import/record";
import type { ChangedByOrg, UndoReport } from "@/server/custom-fields/import/schema";
import type { FieldValue } from "@/server/custom-fields/schema";
import { type ValuePatch, writeValues } from "./apply";
import { type Change, lockChanges, markUndone, type Values } from "./tables/changes";
import { deleteSourceIds } from "./tables/source-ids";

type Undone = Pick<Change, "previous" | "written"> & { now: Values | null };
type Rules = Awaited<ReturnType<typeof rulesOf>>;

/** True if a field still exists with a matching type; the choice may be gone. */
function takes(rule: FieldRule | undefined, value: FieldValue | null): boolean {
  if (!rule || value === null) return rule !== undefined;
  return coerceValue({ type: rule.type === "dropdown" ? "text" : rule.type, options: null }, value).ok;
}

/** Values to restore: those still equal to what the import wrote. Others were changed since and stay. */
function restorePatch({ previous, written, now }: Undone, rules: Rules): { patch: Values; left: number } {
  const patch: Values = {};
  let left = 0;
  for (const [fieldId, value] of Object.entries(written)) {
    const before = previous[fieldId] ?? null;
    if ((now?.[fieldId] ?? null) === value && takes(rules.get(fieldId), before)) patch[fieldId] = before;
    else left++;
  }
  return { patch, left };
}

function countRestored(restoring: ChangedByOrg, orgId: string, fieldIds: readonly string[]): void {
  const counts = restoring[orgId] ?? { devices: 0, values: {} };
  counts.devices++;
  for (const fieldId of fieldIds) counts.values[fieldId] = (counts.values[fieldId] ?? 0) + 1;
  restoring[orgId] = counts;
}

/**
 * Undoes the next changes of an import, in the caller's transaction together with the progress mark. Created
 * definitions stay, because they may be in use. Updates the counts.
 * @returns the number of the last row examined, or null when none is left.
 */
export async function undoChunk(
  tx: Tx,
  found: ImportRecord,
  { after, report, restoring }: { after: number; report: UndoReport; restoring: ChangedByOrg },
): Promise<number | null> {
  const changes = await lockChanges(tx, found.id, {
    after,
    limit: rowsPerTransaction({ ...found, rowsAtOnce: rowsAtOnce(found) }),
  });
  const last = changes.at(-1);
  if (!last) return null;
  const rules = await rulesOf(tx, new Set(changes.flatMap(({ written }) => Object.keys(written))));
  const patches: ValuePatch[] = [];
  for (const change of changes) {
    const { patch, left } = restorePatch(change, rules);
    const restored = change.now ? Object.keys(patch) : [];
    if (restored.length > 0) {
      patches.push({ deviceId: change.deviceId, orgId: change.orgId, patch, isNew: false });
      countRestored(restoring, change.orgId, restored);
    }
    report.restored += restored.length;
    report.leftAlone += left;
  }
  await writeValues(tx, patches);
  const sourceIds = changes.flatMap(({ recordedSourceId: sourceId, deviceId }) =>
    sourceId === null ? [] : [{ sourceId, deviceId }],
  );
  report.sourceIdsRemoved += await deleteSourceIds(tx, found, sourceIds);
  await markUndone(tx, found.id, { after, through: last.rowNo });
  return last.rowNo;
}
