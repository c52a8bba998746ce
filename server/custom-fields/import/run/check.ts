import { type Tx, tenant } from "@/db/client";
import { type EvaluatedRow, evaluateRows } from "@/server/custom-fields/import/decide/evaluate";
import { type LoadedPlan, loadPlan } from "@/server/custom-fields/import/decide/load-plan";
import { rowsAtOnce } from "@/server/custom-fields/import/decide/rounds";
import { count, emptyTally } from "@/server/custom-fields/import/decide/tally";
import { MATCHED_OUTCOMES, type Tally, withoutDevice } from "@/server/custom-fields/import/outcome-schema";
import type { PlacedFile } from "@/server/custom-fields/import/read/row-place";
import type { ImportRecord, PartnerScope } from "@/server/custom-fields/import/record";
import { groupBy } from "@/server/ground/records";
import { othersInWords } from "./related-rows";
import { clearResults, insertResults, markConflicts, type Picks, type Result, readClaims } from "./tables/results";
import { type Range, readStaged } from "./tables/staged";

/** Candidates kept of an ambiguous row. */
const MAX_CANDIDATES = 50;

/** What is kept of an evaluated row; the device that a person picked for it while it is one of the candidates. */
export const toResult = (row: EvaluatedRow, picked: string | null): Result => ({
  rowNo: row.rowNo,
  outcome: row.outcome,
  reason: row.reason,
  deviceId: MATCHED_OUTCOMES.includes(row.outcome) ? (row.device?.id ?? null) : null,
  sourceId: row.identity.sourceId,
  codes: row.codes,
  candidates: row.candidates.length > 0 ? row.candidates.slice(0, MAX_CANDIDATES).map(({ id }) => id) : null,
  pickedDeviceId: row.candidates.some(({ id }) => id === picked) ? picked : null,
});

/** True where a row is about another device than before: whether another row is about that one too, all rows decide. */
export const isMoved = (before: Result, now: Result): boolean =>
  before.outcome !== now.outcome || before.deviceId !== now.deviceId || before.pickedDeviceId !== now.pickedDeviceId;

type Settling = { tally: Tally; files: readonly PlacedFile[] };

/**
 * Two rows that reach one device (a picked one too), or give one source ID to two devices, contradict each other: none
 * of them is applied.
 */
async function settleClaims(tx: Tx, plan: LoadedPlan, { tally, files }: Settling): Promise<void> {
  const claims = await readClaims(tx, plan.importId);
  const byDevice = groupBy(claims, ({ deviceId }) => deviceId);
  const bySourceId = groupBy(claims, ({ sourceId }) => sourceId ?? "");
  const conflicts = claims.map((claim) => {
    const codes = withoutDevice(claim.codes);
    count(tally, claim, -1);
    count(tally, { outcome: "identity_conflict", codes });
    const rivals = (claim.isTwice ? byDevice.get(claim.deviceId) : bySourceId.get(claim.sourceId ?? "")) ?? [];
    const others = othersInWords(files, rivals, claim.rowNo);
    const reason = claim.isTwice
      ? `another row of the file claims the same device: ${others}`
      : `the file gives this source ID to two devices: ${others}`;
    return { rowNo: claim.rowNo, codes, reason, candidates: [claim.deviceId] };
  });
  await markConflicts(tx, plan, conflicts);
}

async function evaluateChunk(tx: Tx, plan: LoadedPlan, { picks, ...range }: Range & { picks: Picks }) {
  const staged = await readStaged(tx, plan.importId, range);
  return evaluateRows(tx, plan, { rows: staged.map((row) => ({ ...row, picked: picks.get(row.rowNo) ?? null })) });
}

/**
 * The dry run: what would happen to every row and value, by the database as it is now. Writes results, no value and no
 * definition. One transaction, so that a kill leaves the check before in force. `onRows` receives how many rows have been
 * checked, and may throw to stop.
 */
export async function checkRows(
  found: ImportRecord,
  scope: PartnerScope,
  onRows: (rows: number) => Promise<void>,
): Promise<Tally> {
  return tenant(scope, async (tx) => {
    const plan = await loadPlan(tx, found, scope);
    const tally = emptyTally(plan.fields);
    const picks = await clearResults(tx, found.id);
    // The database reads the next rows while this process still decides on the last ones.
    const round = rowsAtOnce(found);
    const evaluate = (after: number) => evaluateChunk(tx, plan, { after, through: after + round, picks });
    let next = evaluate(0);
    try {
      for (let after = 0; after < found.totalRows; after += round) {
        const rows = await next;
        if (after + round < found.totalRows) next = evaluate(after + round);
        next.catch(() => {});
        const results = rows.map((row) => toResult(row, picks.get(row.rowNo) ?? null));
        for (const row of results) count(tally, row);
        await insertResults(tx, plan, results);
        await onRows(Math.min(after + round, found.totalRows));
      }
    } finally {
      // What it still sends once the transaction has ended would run in another one that has the connection by then.
      await next.catch(() => {});
    }
    await settleClaims(tx, plan, { tally, files: found.files });
    return tally;
  });
}
