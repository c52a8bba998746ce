import { type Tx, tenant } from "@/db/client";
import { rowsAtOnce } from "@/server/custom-fields/import/decide/batch-size";
import { type Decision, decideValue } from "@/server/custom-fields/import/decide/decide-value";
import { type HeldValues, loadDevices, loadValues } from "@/server/custom-fields/import/decide/load-devices";
import { type LoadedPlan, loadPlan } from "@/server/custom-fields/import/decide/load-plan";
import { identifier } from "@/server/custom-fields/import/decide/placeholders";
import {
  type DeviceFacts,
  type Match,
  type RowIdentity,
  resolveRow,
} from "@/server/custom-fields/import/decide/resolve-row";
import { count, emptyTally } from "@/server/custom-fields/import/decide/tally";
import {
  MATCHED_OUTCOMES,
  type RowOutcome,
  type Tally,
  withoutDevice,
} from "@/server/custom-fields/import/outcome-schema";
import type { SourceCell } from "@/server/custom-fields/import/read/read-delimited";
import type { PlacedFile } from "@/server/custom-fields/import/read/row-place";
import type { ImportRecord, PartnerScope } from "@/server/custom-fields/import/record";
import { groupBy } from "@/server/ground/records";
import { othersInWords } from "./related-rows";
import { clearResults, insertResults, markConflicts, type Picks, type Result, readClaims } from "./tables/results";
import { type Range, readStaged, sharedIdentifiers } from "./tables/staged";

/** A staged row to be evaluated; picked is the candidate that a person chose for it. */
export type PickedRow = { rowNo: number; cells: readonly SourceCell[]; fault: string | null; picked: string | null };

/** What happens to a row: its device, if any, and a decision for every active field. */
export type EvaluatedRow = {
  rowNo: number;
  outcome: RowOutcome;
  reason: string | null;
  identity: RowIdentity;
  /** The device that the values are for: matched, or picked among the candidates. */
  device: DeviceFacts | null;
  candidates: readonly DeviceFacts[];
  decisions: Decision[];
  /** The decisions' letters, as a result keeps them. */
  codes: string;
  /** What the device holds of the active fields; null where it holds no custom field at all. */
  held: HeldValues | null;
};

function identityOf(row: PickedRow, { identifiers, shared }: LoadedPlan): RowIdentity {
  const at = (column: number | null) => (column === null ? null : identifier(row.cells[column] ?? ""));
  // One that the file gives to many hostnames is a placeholder too.
  const own = (column: number | null) => {
    const text = at(column);
    return column !== null && shared?.has(row.cells[column]?.trim().toLowerCase() ?? "") ? null : text;
  };
  const { sourceId, hostname, organization, serial } = identifiers;
  // A client may well be called "Default" or "Test": names of organizations are never junk.
  const client = organization === null ? null : row.cells[organization]?.trim() || null;
  const name = at(hostname);
  const placeholder = hostname !== null && name === null ? row.cells[hostname]?.trim() || null : null;
  return { sourceId: own(sourceId), hostname: name, placeholder, organization: client, serial: own(serial) };
}

function deviceOf(match: Match | null, picked: string | null): DeviceFacts | null {
  if (!match || match.kind === "not_found") return null;
  if ("device" in match) return match.device;
  return (match.kind === "ambiguous" && match.candidates.find(({ id }) => id === picked)) || null;
}

type Resolved = { row: PickedRow; identity: RowIdentity; match: Match | null; device: DeviceFacts | null };

function toEvaluated(plan: LoadedPlan, resolved: Resolved, held: HeldValues | null): EvaluatedRow {
  const { row, identity, match, device } = resolved;
  const decisions = plan.fields.map((field, i) =>
    decideValue(field, { text: (match && row.cells[field.column]) ?? null, device, held: held?.[i] ?? null }),
  );
  return {
    rowNo: row.rowNo,
    outcome: match?.kind ?? "unreadable",
    reason: match === null ? row.fault : "reason" in match ? match.reason : null,
    identity,
    device,
    candidates: match && "candidates" in match ? match.candidates : [],
    decisions,
    codes: decisions.map(({ code }) => code).join(""),
    held,
  };
}

/**
 * What happens to each row, by the database as it is now: three statements for any number of rows. Rows do not see each
 * other; that two of them may claim one device is for the caller to find. With `lock` the values stay as they are read.
 */
export async function evaluateRows(
  tx: Tx,
  plan: LoadedPlan,
  { rows, lock = false }: { rows: readonly PickedRow[]; lock?: boolean },
): Promise<EvaluatedRow[]> {
  plan.shared ??= await sharedIdentifiers(tx, plan);
  const identified = rows.map((row) => ({ row, identity: identityOf(row, plan) }));
  const readable = identified.filter(({ row }) => row.fault === null);
  const index = await loadDevices(
    tx,
    plan,
    readable.map(({ identity }) => identity),
  );
  const resolved = identified.map(({ row, identity }): Resolved => {
    const match = row.fault === null ? resolveRow(identity, index) : null;
    return { row, identity, match, device: deviceOf(match, row.picked) };
  });
  const deviceIds = [...new Set(resolved.flatMap(({ device }) => (device ? [device.id] : [])))];
  const held = await loadValues(tx, plan, { deviceIds, lock });
  return resolved.map((one) => toEvaluated(plan, one, (one.device && held.get(one.device.id)) ?? null));
}

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
