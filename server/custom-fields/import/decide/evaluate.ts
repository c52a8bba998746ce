import type { Tx } from "@/db/client";
import type { RowOutcome } from "@/server/custom-fields/import/outcome-schema";
import type { SourceCell } from "@/server/custom-fields/import/read/read-delimited";
import { type Decision, decideValue } from "./decide-value";
import { identifier } from "./junk";
import { type HeldValues, loadDevices, loadValues } from "./load-devices";
import type { LoadedPlan } from "./load-plan";
import { type DeviceFacts, type Match, type RowIdentity, resolveRow } from "./resolve-row";

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

function identityOf(row: PickedRow, { identifiers }: LoadedPlan): RowIdentity {
  const at = (column: number | null) => (column === null ? null : identifier(row.cells[column] ?? ""));
  const { sourceId, hostname, organization, serial } = identifiers;
  // A client may well be called "Default" or "Test": names of organizations are never junk.
  const client = organization === null ? null : row.cells[organization]?.trim() || null;
  const name = at(hostname);
  const placeholder = hostname !== null && name === null ? row.cells[hostname]?.trim() || null : null;
  return { sourceId: at(sourceId), hostname: name, placeholder, organization: client, serial: at(serial) };
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
