import type { Tx } from "@/db/client";
import { rowsAtOnce, rowsPerTransaction } from "@/server/custom-fields/import/decide/rounds";
import type { ImportRecord } from "@/server/custom-fields/import/find-import";
import type { UndoReport } from "@/server/custom-fields/import/schema";
import { type Change, lockChanges, markUndone, type Values } from "./tables/changes";
import { deleteSourceIds } from "./tables/source-ids";
import { type ValuePatch, writeValues } from "./tables/values";

/** Values to put back: those that still are what the import wrote. Others have been changed since and stay. */
function restorePatch({ previous, written, now }: Pick<Change, "previous" | "written"> & { now: Values | null }): {
  patch: Values;
  left: number;
} {
  const patch: Values = {};
  let left = 0;
  for (const [fieldId, value] of Object.entries(written)) {
    if ((now?.[fieldId] ?? null) === value) patch[fieldId] = previous[fieldId] ?? null;
    else left++;
  }
  return { patch, left };
}

/**
 * Undoes the next changes of an import, in the caller's transaction together with the progress mark. Definitions that
 * the import created stay: they may already be in use.
 * @returns the number of the last row looked at, or null when none is left.
 */
export async function undoChunk(
  tx: Tx,
  found: ImportRecord,
  { after, report }: { after: number; report: UndoReport },
): Promise<number | null> {
  const changes = await lockChanges(tx, found.id, {
    after,
    limit: rowsPerTransaction({ ...found, rowsAtOnce: rowsAtOnce(found) }),
  });
  const last = changes.at(-1);
  if (!last) return null;
  const patches: ValuePatch[] = [];
  for (const change of changes) {
    const { patch, left } = restorePatch(change);
    const restored = Object.keys(patch).length;
    if (restored > 0 && change.now)
      patches.push({ deviceId: change.deviceId, orgId: change.orgId, patch, isNew: false });
    report.restored += change.now ? restored : 0;
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
