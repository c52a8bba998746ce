import { eq, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { evaluateRows } from "./decide/evaluate";
import { type LoadedPlan, loadPlan } from "./decide/load-plan";
import { count } from "./decide/tally";
import { toImportState } from "./import-state";
import { queueWork } from "./queue-work";
import { lockImport } from "./record/find";
import type { ImportRecord } from "./record/record";
import { requireIdle } from "./record/require";
import { partnerScope } from "./record/scope";
import { isMoved, toResult } from "./run/check";
import { findRowOfDevice, findRowOfSourceId, type ResultRow, readResults, replaceResult } from "./run/tables/results";
import { notifyImports } from "./run/worker";
import { type ImportState, pickInput } from "./schema";

/** Brings one row's result and the check's counts up to date; a row that has come to another device needs a new check. */
async function recheck(
  tx: Tx,
  ctx: Ctx,
  { plan, found, row, picked }: { plan: LoadedPlan; found: ImportRecord; row: ResultRow; picked: string | null },
): Promise<ImportRecord> {
  const [evaluated] = await evaluateRows(tx, plan, { rows: [{ ...row, fault: null, picked }] });
  const check = found.summary.check;
  if (!evaluated || !check) return found;
  const now = toResult(evaluated, picked);
  if (isMoved({ ...row, pickedDeviceId: picked }, now))
    return queueWork(tx, ctx, { found, job: "check", also: { status: "staged", orgIds: [...plan.orgIds] } });
  await replaceResult(tx, plan, now);
  count(check, row, -1);
  count(check, now);
  const summary = { ...found.summary, check };
  const updatedAt = new Date();
  await tx.update(customFieldImports).set({ summary, updatedAt }).where(eq(customFieldImports.id, found.id));
  return { ...found, summary, updatedAt };
}

/**
 * Lets a person choose one of an ambiguous row's candidates (or, with null, withdraw the choice).
 * @throws AppError not_found, conflict, validation_failed for a device that is no candidate.
 */
export const pickCandidate = operation({
  permission: "custom_fields:import",
  input: pickInput,
  output: typed<ImportState>(),
  async run(ctx, { id, rowNo, deviceId }) {
    const scope = partnerScope(ctx);
    const now = await tenant(scope, async (tx) => {
      const found = await lockImport(tx, ctx, id);
      requireIdle(found, "checked");
      const [row] = await readResults(tx, id, { after: rowNo - 1, limit: 1, only: sql`AND r.row_no = ${rowNo}` });
      if (!row) throw notFound("row");
      if (row.outcome !== "ambiguous")
        throw new AppError("conflict", "A device can be chosen for ambiguous rows only.");
      if (deviceId !== null) {
        if (!row.candidates?.includes(deviceId)) throw invalid("deviceId", "is not one of the row's candidates");
        const other = await findRowOfDevice(tx, id, { rowNo, deviceId });
        if (other !== undefined)
          throw new AppError(
            "conflict",
            `Row ${other} already matches that device: pick another one, or correct the file.`,
          );
        const { sourceId } = row;
        const twin = sourceId === null ? undefined : await findRowOfSourceId(tx, id, { rowNo, sourceId });
        if (twin !== undefined)
          throw new AppError("conflict", `Row ${twin} has the source ID ${sourceId} too: correct the file first.`);
      }
      return recheck(tx, ctx, { plan: await loadPlan(tx, found, scope), found, row, picked: deviceId });
    });
    if (now.job) notifyImports();
    return toImportState(now);
  },
});
