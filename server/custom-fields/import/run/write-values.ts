import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import type { FieldValue } from "@/server/custom-fields/schema";

/** New values of one device by definition id; null removes one. isNew: the device held no value at all when it was read. */
export type ValuePatch = { deviceId: string; orgId: string; patch: Record<string, FieldValue | null>; isNew: boolean };

const records = (patches: readonly ValuePatch[]) => {
  const rows = patches.map(({ deviceId, orgId, patch }) => ({ d: deviceId, o: orgId, p: patch }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS p(d uuid, o uuid, p jsonb)`;
};

/**
 * Writes many devices' values in two statements (upserts, whose plan is always the key's index). Devices that were read under a lock are merged into; for one that had
 * no row to lock, what somebody else wrote in between wins.
 */
export async function writeValues(tx: Tx, patches: readonly ValuePatch[]): Promise<void> {
  const known = patches.filter(({ isNew }) => !isNew);
  const fresh = patches.filter(({ isNew }) => isNew);
  if (known.length > 0)
    await tx.execute(sql`
      INSERT INTO custom_field_values AS v (device_id, org_id, "values") SELECT p.d, p.o, p.p FROM ${records(known)}
      ON CONFLICT (device_id) DO UPDATE SET "values" = jsonb_strip_nulls(v."values" || excluded."values"), updated_at = now()`);
  if (fresh.length > 0)
    await tx.execute(sql`
      INSERT INTO custom_field_values AS v (device_id, org_id, "values")
      SELECT p.d, p.o, p.p FROM ${records(fresh)} ORDER BY p.d
      ON CONFLICT (device_id) DO UPDATE SET "values" = excluded."values" || v."values", updated_at = now()`);
}
