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
  type CheckReport,
  MATCHED_OUTCOMES,
  type RowOutcome,
  withoutDevice,
} from "@/server/custom-fields/import/outcome-schema";
import type { SourceCell } from "@/server/custom-fields/import/read/read-delimited";
import type { ImportRecord, PartnerScope } from "@/server/custom-fields/import/record";
import { groupBy } from "@/server/ground/records";
import { othersInWords, type PlacedFile } from "./related-rows";
import { clearResults, insertResults, markOutcomes, type Picks, type Result, readClaims } from "./tables/results";
import { inRange, type Range, readStaged, sharedIdentifiers } from "./tables/staged";

/** A staged row to evaluate; picked is the candidate chosen by a person. */
export type PickedRow = { rowNo: number; cells: readonly SourceCell[]; fault: string | null; picked: string | null };

/** Evaluation of a row: its device, if any, and a decision for every active field. */
export type EvaluatedRow = {
  rowNo: number;
  outcome: RowOutcome;
  reason: string | null;
  identity: RowIdentity;
  /** Device that receives the values: matched, or picked among candidates. */
  device: DeviceFacts | null;
  candidates: readonly DeviceFacts[];
  decisions: Decision[];
  /** One-letter codes of the decisions, for the result. */
  codes: string;
  /** The device's values of the active fields; null if it has no custom fields. */
  held: HeldValues | null;
};

function identityOf(row: PickedRow, { identifiers, shared }: LoadedPlan): RowIdentity {
  const at = (column: number | null) => (column === null ? null : identifier(row.cells[column] ?? ""));
  // An ID shared by many hostnames in the file is a placeholder too.
  const own = (column: number | null) => {
    const text = at(column);
    return column !== null && shared?.has(row.cells[column]?.trim().toLowerCase() ?? "") ? null : text;
  };
  const { sourceId, hostname, organization, serial } = identifiers;
  // A client may be named "Default" or "Test", so organization names are never placeholders.
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
 * Evaluates rows against the current database, with three statements for any number of rows. Rows are independent; the
 * caller must detect two that claim one device. `lock` keeps the values unchanged.
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

/** Candidates stored for an ambiguous row. */
const MAX_CANDIDATES = 50;

/** Stored result of an evaluated row; keeps a picked device while it is a candidate. */
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

/** True if a row now means another device: only a check of all rows finds others that claim it. */
export const isMoved = (before: Result, now: Result): boolean =>
  before.outcome !== now.outcome || before.deviceId !== now.deviceId || before.pickedDeviceId !== now.pickedDeviceId;

type Settling = { tally: CheckReport; files: readonly PlacedFile[] };

/**
 * Marks rows as conflicts if two reach one device (picked ones too), or give one source ID to two devices: none of them
 * is applied.
 */
async function settleClaims(tx: Tx, plan: LoadedPlan, { tally, files }: Settling): Promise<void> {
  const claims = await readClaims(tx, plan.importId);
  const byDevice = groupBy(claims, ({ deviceId }) => deviceId);
  const bySourceId = groupBy(claims, ({ sourceId }) => sourceId ?? "");
  const outcome: RowOutcome = "identity_conflict";
  const conflicts = claims.map((claim) => {
    const codes = withoutDevice(claim.codes);
    count(tally, claim, -1);
    count(tally, { outcome, codes });
    const rivals = (claim.isTwice ? byDevice.get(claim.deviceId) : bySourceId.get(claim.sourceId ?? "")) ?? [];
    const others = othersInWords(files, rivals, claim.rowNo);
    const reason = claim.isTwice
      ? `another row of the file claims the same device: ${others}`
      : `the file gives this source ID to two devices: ${others}`;
    return { rowNo: claim.rowNo, outcome, codes, reason, candidates: [claim.deviceId] };
  });
  await markOutcomes(tx, plan, conflicts);
}

async function evaluateChunk(tx: Tx, plan: LoadedPlan, { picks, ...range }: Range & { picks: Picks }) {
  const staged = await readStaged(tx, plan.importId, inRange(range));
  return evaluateRows(tx, plan, { rows: staged.map((row) => ({ ...row, picked: picks.get(row.rowNo) ?? null })) });
}

/**
 * Dry run of every row and value against the current database. Writes results only, in one transaction, so that after a
 * kill the previous check is still valid. `onRows` receives the number of rows checked, and may throw to stop.
 */
export async function checkRows(
  found: ImportRecord,
  scope: PartnerScope,
  onRows: (rows: number) => Promise<void>,
): Promise<CheckReport> {
  return tenant(scope, async (tx) => {
    const plan = await loadPlan(tx, found, scope);
    const tally = emptyTally(plan.fields);
    const picks = await clearResults(tx, found.id);
    // The database reads the next rows while this process decides on the last.
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
      // Unfinished queries would run in another transaction that gets the connection.
      await next.catch(() => {});
    }
    await settleClaims(tx, plan, { tally, files: found.files });
    return tally;
  });
}
