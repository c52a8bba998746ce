import { type SQL, sql } from "drizzle-orm";
import { textArray, uuids } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { FieldValue } from "@/server/custom-fields/schema";
import type { LoadedPlan } from "./load-plan";
import { identifier, shortName } from "./placeholders";
import { type DeviceFacts, type DeviceIndex, isSameName, type RowIdentity } from "./resolve-row";

/* The statements below look up list elements in an index. OFFSET 0 prevents the planner from reversing that: without
   statistics on tables that a running import just filled, its default plans take minutes. */

const jsonText = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`;

const FACTS = sql`d.id, d.org_id AS "orgId", d.hostname, d.os, d.serial_number AS serial`;

/** Devices in reach by recorded source ID; `recorded` is the ID found. */
const bySourceIds = (plan: LoadedPlan, sourceIds: readonly string[]) => sql`
  SELECT ${FACTS}, ARRAY[wanted.source_id] AS recorded
  FROM jsonb_array_elements_text(${jsonText(sourceIds)}) wanted(source_id)
  CROSS JOIN LATERAL (
    SELECT s.device_id FROM device_source_ids s
    WHERE s.partner_id = ${plan.partnerId}::uuid AND s.source = ANY(${textArray(plan.sourceNames)})
      AND s.source_id = wanted.source_id OFFSET 0
  ) known
  CROSS JOIN LATERAL (SELECT * FROM devices d WHERE d.id = known.device_id OFFSET 0) d
  WHERE d.org_id = ANY(${uuids(plan.orgIds)})`;

/** Devices in reach by short name, with all their recorded IDs. */
const byShortNames = (plan: LoadedPlan, names: readonly string[]) => sql`
  SELECT ${FACTS}, known.source_ids AS recorded
  FROM jsonb_array_elements_text(${jsonText(names)}) wanted(name)
  CROSS JOIN LATERAL (SELECT * FROM devices d WHERE d.short_name = wanted.name OFFSET 0) d
  CROSS JOIN LATERAL (
    SELECT array_agg(s.source_id)
      FILTER (WHERE s.partner_id = ${plan.partnerId}::uuid AND s.source = ANY(${textArray(plan.sourceNames)})) AS source_ids
    FROM (SELECT * FROM device_source_ids s WHERE s.device_id = d.id OFFSET 0) s
  ) known
  WHERE d.org_id = ANY(${uuids(plan.orgIds)})`;

type FactRow = Omit<DeviceFacts, "recorded"> & { recorded: string[] | null };

async function loadFacts(tx: Tx, query: SQL): Promise<DeviceFacts[]> {
  const found = await rowsOf<FactRow>(tx, query);
  return found.map((row) => ({ ...row, serial: identifier(row.serial ?? ""), recorded: row.recorded ?? [] }));
}

/** Adds a device once, even if two product names lead to it. */
function push(map: Map<string, DeviceFacts[]>, key: string, device: DeviceFacts): void {
  const list = map.get(key);
  if (!list) map.set(key, [device]);
  else if (!list.some(({ id }) => id === device.id)) list.push(device);
}

/**
 * Devices that the identities may mean. Looks up names only if the source ID does not settle the row: it is unknown, or
 * its device has another name.
 */
export async function loadDevices(tx: Tx, plan: LoadedPlan, identities: readonly RowIdentity[]): Promise<DeviceIndex> {
  const sourceIds = new Set(identities.flatMap(({ sourceId }) => sourceId ?? []));
  const byShortName = new Map<string, DeviceFacts[]>();
  const bySourceId = new Map<string, DeviceFacts[]>();
  if (sourceIds.size > 0)
    for (const device of await loadFacts(tx, bySourceIds(plan, [...sourceIds])))
      for (const sourceId of device.recorded) push(bySourceId, sourceId, device);
  const isSettled = ({ sourceId, hostname }: RowIdentity): boolean =>
    sourceId !== null && (bySourceId.get(sourceId)?.some((d) => isSameName(d.hostname, hostname ?? "")) ?? false);
  const names = new Set(
    identities.flatMap((identity) =>
      identity.hostname === null || isSettled(identity) ? [] : shortName(identity.hostname),
    ),
  );
  if (names.size > 0)
    for (const device of await loadFacts(tx, byShortNames(plan, [...names])))
      push(byShortName, shortName(device.hostname), device);
  return { byShortName, bySourceId, orgsByName: plan.orgsByName, hasSourceIds: plan.identifiers.sourceId !== null };
}

/** A device's values of the active fields, in order. */
export type HeldValues = readonly (FieldValue | null)[];

/**
 * Current values of devices; `lock` keeps them unchanged until the transaction ends. The join with an empty object
 * unpacks large compressed values once instead of once per field.
 */
export async function loadValues(
  tx: Tx,
  plan: LoadedPlan,
  { deviceIds, lock }: { deviceIds: readonly string[]; lock: boolean },
): Promise<Map<string, HeldValues>> {
  if (deviceIds.length === 0) return new Map();
  const values = sql.join(
    plan.fields.map((field) => sql`found.held -> ${field.fieldId}::text`),
    sql`, `,
  );
  const rows = await rowsOf<{ deviceId: string; held: HeldValues }>(
    tx,
    sql`
    SELECT found."deviceId", jsonb_build_array(${values}) AS held
    FROM (SELECT value::uuid AS id FROM jsonb_array_elements_text(${jsonText(deviceIds)}) ORDER BY 1) wanted
    CROSS JOIN LATERAL (
      SELECT v.device_id AS "deviceId", v."values" || '{}' AS held FROM custom_field_values v
      WHERE v.device_id = wanted.id OFFSET 0 ${lock ? sql`FOR UPDATE OF v` : sql``}
    ) found`,
  );
  return new Map(rows.map(({ deviceId, held }) => [deviceId, held]));
}
