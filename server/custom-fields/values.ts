import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { customFieldDefinitions, customFieldValues, devices } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { inScope } from "@/server/ground/scope";
import { idInput } from "@/server/ground/wire";
import { coerceValue } from "./coerce";
import { choicesOf, type DefinitionRow, visible } from "./definition";
import { type DeviceValue, deviceValueList, type FieldValue, MASK, type ValueMap } from "./schema";

/** Properties of a device that decide which fields it has. */
export type DeviceRef = { id: string; orgId: string; os: string; hostname: string };

/** windows, macos or linux, from the system name reported by the agent. */
function osFamily(os: string): string {
  const name = os.toLowerCase();
  if (/\bmac|darwin|os ?x/.test(name)) return "macos";
  return name.includes("win") ? "windows" : "linux";
}

/** A field without device types applies to all. */
export function appliesTo(field: Pick<DefinitionRow, "deviceTypes">, os: string): boolean {
  if (!field.deviceTypes?.length) return true;
  const kinds = [os.toLowerCase(), osFamily(os)];
  return field.deviceTypes.some((type) => kinds.includes(type.toLowerCase()));
}

/**
 * Fields of a device by key: its organization's own, then those of All organizations with other keys. Found through the
 * device's organization, because the operator has no partner.
 */
export async function fieldsOfDevice(tx: Tx, device: DeviceRef): Promise<Map<string, DefinitionRow>> {
  const d = customFieldDefinitions;
  const partner = sql`(SELECT partner_id FROM organizations WHERE id = ${device.orgId}::uuid)`;
  const rows = await tx
    .select()
    .from(d)
    .where(or(eq(d.orgId, device.orgId), and(isNull(d.orgId), eq(d.partnerId, partner))));
  rows.sort((a, b) => Number(a.orgId !== null) - Number(b.orgId !== null) || (a.name < b.name ? -1 : 1));
  return new Map(rows.filter((row) => appliesTo(row, device.os)).map((row) => [row.fieldKey, row]));
}

/** @throws AppError not_found for a device outside the caller's reach. */
export async function findDevice(tx: Tx, ctx: Ctx, id: string): Promise<DeviceRef> {
  const [row] = await tx
    .select({ id: devices.id, orgId: devices.orgId, os: devices.os, hostname: devices.hostname })
    .from(devices)
    .where(and(inScope(devices.orgId, ctx.scope), eq(devices.id, id)));
  if (!row) throw notFound("device");
  return row;
}

const isMasked = (ctx: Ctx, { secret }: DefinitionRow): boolean =>
  secret && !ctx.permissions.has("custom_fields:manage");

const shown = (ctx: Ctx, field: DefinitionRow, value: FieldValue | null): FieldValue | null =>
  value !== null && isMasked(ctx, field) ? MASK : value;

/** Custom fields of a device with values, secrets masked for people who may not manage fields. */
export async function readDeviceValues(tx: Tx, ctx: Ctx, device: DeviceRef): Promise<DeviceValue[]> {
  const fields = await fieldsOfDevice(tx, device);
  const [row] = await tx.select().from(customFieldValues).where(eq(customFieldValues.deviceId, device.id));
  const fieldsByName = [...fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return fieldsByName.map((field) => {
    const own = row?.values[field.id];
    return {
      fieldId: field.id,
      fieldKey: field.fieldKey,
      name: field.name,
      owner: field.orgId ? "organization" : "all_organizations",
      type: field.type,
      options: isMasked(ctx, field) ? null : choicesOf(field),
      required: field.required,
      secret: field.secret,
      value: shown(ctx, field, own ?? field.defaultValue),
      isDefault: own === undefined,
    };
  });
}

/** Values by key, for REST. */
export const toValueMap = (values: readonly DeviceValue[]): ValueMap =>
  Object.fromEntries(values.map((v) => [v.fieldKey, v.value]));

/** Custom fields of one device in the caller's reach. */
export const listDeviceValues = operation({
  permission: "custom_fields:read",
  input: idInput,
  output: deviceValueList,
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => readDeviceValues(tx, ctx, await findDevice(tx, ctx, id)));
  },
});

/**
 * Condition on devices: the field (any visible definition with this key) has the value, given as text. A text invalid
 * for a definition's type matches none of its devices, and masked values never match.
 */
export async function hasFieldValue(tx: Tx, ctx: Ctx, { key, text }: { key: string; text: string }): Promise<SQL> {
  const fields = await tx
    .select()
    .from(customFieldDefinitions)
    .where(and(visible(ctx.scope), eq(customFieldDefinitions.fieldKey, key)));
  const wanted = fields.flatMap((field) => {
    // People who only see the mask must not find the value by trying.
    if (isMasked(ctx, field)) return [];
    const { type } = field;
    const typed = type === "number" ? Number(text) : type === "boolean" ? text === "true" : text;
    const fit = coerceValue({ type, options: field.options }, typed);
    return fit.ok ? [JSON.stringify({ [field.id]: fit.value })] : [];
  });
  if (wanted.length === 0) return sql`false`;
  const any = wanted.map((json) => sql`v.values @> ${json}::text::jsonb`);
  return sql`EXISTS (SELECT 1 FROM custom_field_values v WHERE v.device_id = ${devices.id} AND (${sql.join(any, sql` OR `)}))`;
}
