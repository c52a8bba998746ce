import { sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { AppError, type FieldError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { coerceValue } from "./coerce";
import type { DefinitionRow } from "./definition";
import { holdDefinitionsOf } from "./definitions";
import { deviceValues, type FieldValue, MASK, setValuesInput } from "./schema";
import { type DeviceRef, fieldsOfDevice, findDevice, readDeviceValues, toValueMap } from "./values";

type Values = Record<string, FieldValue>;
type Change = { field: DefinitionRow; value: FieldValue | null };

/** @throws AppError validation_failed with every key that is unknown or has a value that does not fit */
function toChanges(fields: Map<string, DefinitionRow>, given: Record<string, FieldValue | null>): Change[] {
  const errors: FieldError[] = [];
  const changes: Change[] = [];
  for (const [key, value] of Object.entries(given)) {
    const field = fields.get(key);
    if (!field) errors.push({ path: key || "body", message: "is no custom field of this device" });
    else if (value === null) {
      if (field.required) errors.push({ path: key, message: "is required" });
      else changes.push({ field, value });
    } else {
      const fit = coerceValue(field, value);
      if (fit.ok) changes.push({ field, value: fit.value });
      else errors.push({ path: key, message: fit.reason });
    }
  }
  const first = errors[0];
  if (first)
    throw new AppError("validation_failed", `${first.path}: ${first.message}`, { errors: errors.slice(0, 50) });
  return changes;
}

/** Merges under a row lock, so that concurrent changes to two fields both count. */
async function write(tx: Tx, device: DeviceRef, changes: Change[]): Promise<Values> {
  await tx.execute(sql`
    INSERT INTO custom_field_values (device_id, org_id, "values") VALUES (${device.id}::uuid, ${device.orgId}::uuid, '{}')
    ON CONFLICT (device_id) DO NOTHING`);
  const [row] = await rowsOf<{ before: Values }>(
    tx,
    sql`SELECT "values" AS before FROM custom_field_values WHERE device_id = ${device.id}::uuid FOR UPDATE`,
  );
  const patch = JSON.stringify(Object.fromEntries(changes.map((c) => [c.field.id, c.value])));
  await tx.execute(sql`
    UPDATE custom_field_values SET "values" = jsonb_strip_nulls("values" || ${patch}::text::jsonb), updated_at = now()
    WHERE device_id = ${device.id}::uuid`);
  return row?.before ?? {};
}

/** Actual changes, before and after; values of secrets never enter the audit log. */
function auditOf(before: Values, changes: Change[]): { before: Values; after: Values } | null {
  const old: Record<string, FieldValue> = {};
  const now: Record<string, FieldValue> = {};
  for (const { field, value } of changes) {
    const had = before[field.id] ?? null;
    if (had === value) continue;
    if (had !== null) old[field.fieldKey] = field.secret ? MASK : had;
    if (value !== null) now[field.fieldKey] = field.secret ? MASK : value;
  }
  return Object.keys(old).length + Object.keys(now).length > 0 ? { before: old, after: now } : null;
}

/**
 * Sets or (null) clears custom field values of one device, all or nothing.
 * @returns every field of the device with its value.
 * @throws AppError not_found, validation_failed.
 */
export const setDeviceValues = operation({
  permission: "custom_fields:manage",
  input: setValuesInput,
  output: deviceValues,
  async run(ctx, input) {
    const { id, ...given } = input;
    const { device, details, values } = await tenant(ctx.scope, async (tx) => {
      const device = await findDevice(tx, ctx, id);
      await holdDefinitionsOf(tx, device);
      const changes = toChanges(await fieldsOfDevice(tx, device), given as Record<string, FieldValue | null>);
      const details = changes.length > 0 ? auditOf(await write(tx, device, changes), changes) : null;
      return { device, details, values: await readDeviceValues(tx, ctx, device) };
    });
    if (details)
      record(ctx, {
        action: "device.custom_fields.update",
        orgId: device.orgId,
        ...resourceOf("device", { id: device.id, name: device.hostname }),
        details,
      });
    return { deviceId: device.id, customFields: toValueMap(values) };
  },
});
