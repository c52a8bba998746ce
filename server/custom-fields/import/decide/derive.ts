import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { uuidList } from "@/server/custom-fields/import/find-import";
import { outcomeOfCode, type RowOutcome, type Tally } from "@/server/custom-fields/import/schema";
import type { FieldValue } from "@/server/custom-fields/schema";
import type { Compiled } from "./compile";
import { type Decision, decideValue } from "./decide-value";
import { identifier, shortName } from "./junk";
import { type DeviceFacts, type DeviceIndex, type Match, type RowIdentity, resolveRow } from "./resolve-row";

/** A staged row as it is read back; picked is what a person chose for it. */
export type StagedRow = { rowNo: number; cells: string[]; fault: string | null; picked: string | null };

/** What a row comes to: its device, if any, and a decision for every active field. */
export type Derived = {
  rowNo: number;
  outcome: RowOutcome;
  reason: string | null;
  identity: RowIdentity;
  /** The device that the values are for: matched, or picked among the candidates. */
  device: DeviceFacts | null;
  candidates: readonly DeviceFacts[];
  decisions: Decision[];
  /** What the device holds of the active fields; null where it holds no custom field at all. */
  held: readonly (FieldValue | null)[] | null;
};

type Row = StagedRow & { identity: RowIdentity };
const textList = (words: readonly string[]) =>
  sql`${`{${words.map((word) => JSON.stringify(word)).join(",")}}`}::text[]`;
const jsonText = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`;

function identityOf(row: StagedRow, { plan }: Compiled): RowIdentity {
  const at = (column: number | null) => (column === null ? null : identifier(row.cells[column]));
  const { sourceId, hostname, organization, serial } = plan.identifiers;
  // A client may well be called "Default" or "Test": names of organizations are never junk.
  const client = organization === null ? null : row.cells[organization]?.trim() || null;
  return { sourceId: at(sourceId), hostname: at(hostname), organization: client, serial: at(serial) };
}

type FactRow = { id: string; org: string; host: string; os: string; sn: string | null; rec: string[] | null };

/*
 * Each of the statements below takes a list and looks every element up in one index. OFFSET 0 keeps the planner from
 * turning that round: of tables that a running import has just filled it knows no numbers, and the plans that it makes
 * up for small ones take minutes.
 */

const FACTS = sql`d.id, d.org_id AS org, d.hostname AS host, d.os, d.serial_number AS sn`;

/** Devices within reach by recorded source ID; rec is the ID asked for. */
const byIds = (c: Compiled, ids: readonly string[]) => sql`
  SELECT ${FACTS}, ARRAY[a.v] AS rec
  FROM jsonb_array_elements_text(${jsonText(ids)}) a(v)
  CROSS JOIN LATERAL (
    SELECT s.device_id FROM device_source_ids s
    WHERE s.partner_id = ${c.partnerId}::uuid AND s.source = ANY(${textList(c.sourceNames)}) AND s.source_id = a.v OFFSET 0
  ) k
  CROSS JOIN LATERAL (SELECT * FROM devices d WHERE d.id = k.device_id OFFSET 0) d
  WHERE d.org_id = ANY(${uuidList(c.orgIds)})`;

/** Devices within reach by short name, with all their recorded IDs. */
const byNames = (c: Compiled, names: readonly string[]) => sql`
  SELECT ${FACTS}, r.ids AS rec
  FROM jsonb_array_elements_text(${jsonText(names)}) n(v)
  CROSS JOIN LATERAL (SELECT * FROM devices d WHERE d.short_name = n.v OFFSET 0) d
  CROSS JOIN LATERAL (
    SELECT array_agg(s.source_id)
      FILTER (WHERE s.partner_id = ${c.partnerId}::uuid AND s.source = ANY(${textList(c.sourceNames)})) AS ids
    FROM (SELECT * FROM device_source_ids s WHERE s.device_id = d.id OFFSET 0) s
  ) r
  WHERE d.org_id = ANY(${uuidList(c.orgIds)})`;

async function loadFacts(tx: Tx, query: SQL): Promise<DeviceFacts[]> {
  const found = await tx.execute<FactRow>(query);
  return found.map(({ id, org, host, os, sn, rec }) => ({
    id,
    orgId: org,
    hostname: host,
    os,
    serial: identifier(sn ?? ""),
    recorded: rec ?? [],
  }));
}

/**
 * The devices that any of the rows could mean. Names are looked up only where the source ID does not settle the row:
 * when it is not known, or its device is called otherwise.
 */
async function loadDevices(tx: Tx, c: Compiled, rows: readonly Row[]): Promise<DeviceIndex> {
  const readable = rows.filter(({ fault }) => fault === null).map(({ identity }) => identity);
  const ids = new Set(readable.flatMap(({ sourceId }) => sourceId ?? []));
  const byShortName = new Map<string, DeviceFacts[]>();
  const bySourceId = new Map<string, DeviceFacts[]>();
  if (ids.size > 0)
    for (const device of await loadFacts(tx, byIds(c, [...ids])))
      for (const sourceId of device.recorded) push(bySourceId, sourceId, device);
  const isSettled = ({ sourceId, hostname }: RowIdentity): boolean =>
    sourceId !== null &&
    (bySourceId.get(sourceId)?.some((d) => shortName(d.hostname) === shortName(hostname ?? "")) ?? false);
  const names = new Set(
    readable.flatMap((identity) =>
      identity.hostname === null || isSettled(identity) ? [] : shortName(identity.hostname),
    ),
  );
  if (names.size > 0)
    for (const device of await loadFacts(tx, byNames(c, [...names])))
      push(byShortName, shortName(device.hostname), device);
  return { byShortName, bySourceId, orgsByName: c.orgsByName, hasSourceIds: c.plan.identifiers.sourceId !== null };
}

/** A device that two names of the product lead to is still one device. */
function push(map: Map<string, DeviceFacts[]>, key: string, device: DeviceFacts): void {
  const list = map.get(key);
  if (!list) map.set(key, [device]);
  else if (!list.some(({ id }) => id === device.id)) list.push(device);
}

type Held = Map<string, (FieldValue | null)[]>;

/** What the devices hold of the active fields; with `lock` nobody changes them before this transaction ends. */
async function loadValues(tx: Tx, c: Compiled, deviceIds: readonly string[], lock: boolean): Promise<Held> {
  const picks = sql.join(
    c.fields.map((field) => sql`v."values" -> ${field.fieldId}::text`),
    sql`, `,
  );
  const rows = await tx.execute<{ id: string; held: (FieldValue | null)[] }>(sql`
    SELECT k.id, k.held FROM (SELECT v::uuid AS id FROM jsonb_array_elements_text(${jsonText(deviceIds)}) i(v) ORDER BY 1) asked
    CROSS JOIN LATERAL (
      SELECT v.device_id AS id, jsonb_build_array(${picks}) AS held FROM custom_field_values v
      WHERE v.device_id = asked.id OFFSET 0 ${lock ? sql`FOR UPDATE OF v` : sql``}
    ) k`);
  return new Map(rows.map(({ id, held }) => [id, held]));
}

type Resolved = { row: Row; match: Match | null; device: DeviceFacts | null };

function deviceOf(match: Match | null, picked: string | null): DeviceFacts | null {
  if (!match || match.kind === "not_found") return null;
  if ("device" in match) return match.device;
  return (match.kind === "ambiguous" && match.candidates.find(({ id }) => id === picked)) || null;
}

function toDerived(c: Compiled, { row, match, device }: Resolved, held: Held): Derived {
  const values = device ? held.get(device.id) : undefined;
  const unreadable = match === null;
  return {
    rowNo: row.rowNo,
    outcome: match?.kind ?? "unreadable",
    reason: unreadable ? row.fault : "reason" in match ? match.reason : null,
    identity: row.identity,
    device,
    candidates: match && "candidates" in match ? match.candidates : [],
    held: values ?? null,
    decisions: c.fields.map((field, i) =>
      decideValue(field, unreadable ? "" : (row.cells[field.column] ?? ""), device, values?.[i] ?? null),
    ),
  };
}

/**
 * What each row comes to, by the database as it is now: two statements for any number of rows. Rows do not see each
 * other; that two of them may claim one device is for the caller to find.
 */
export async function deriveRows(tx: Tx, c: Compiled, staged: readonly StagedRow[], lock = false): Promise<Derived[]> {
  const rows = staged.map((row) => ({ ...row, identity: identityOf(row, c) }));
  const index = await loadDevices(tx, c, rows);
  const resolved = rows.map((row): Resolved => {
    const match = row.fault === null ? resolveRow(row.identity, index) : null;
    return { row, match, device: deviceOf(match, row.picked) };
  });
  const deviceIds = [...new Set(resolved.flatMap(({ device }) => (device ? [device.id] : [])))];
  const held = deviceIds.length > 0 ? await loadValues(tx, c, deviceIds, lock) : new Map();
  return resolved.map((one) => toDerived(c, one, held));
}

/** Adds a row to the counts (or, with -1, takes it out again). */
export function count(tally: Tally, outcome: RowOutcome, codes: string, by: 1 | -1 = 1): void {
  tally.rows[outcome] += by;
  for (let i = 0; i < codes.length; i++) {
    const field = tally.fields[i];
    if (field) field[outcomeOfCode(codes[i] as string)] += by;
  }
}

export const codesOf = (derived: Derived): string => derived.decisions.map(({ code }) => code).join("");
