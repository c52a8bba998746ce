import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import type { Values } from "./changes";

/** New values of one device; null removes one. isNew: the device held no value at all when it was read. */
export type ValuePatch = { deviceId: string; orgId: string; patch: Values; isNew: boolean };

const recordset = (patches: readonly ValuePatch[]) => sql`
  jsonb_to_recordset(${JSON.stringify(patches)}::text::jsonb) AS p("deviceId" uuid, "orgId" uuid, patch jsonb)`;

/**
 * Writes many devices' values in two statements (upserts, whose plan is always the key's index). Devices that were read
 * under a lock are merged into; for one that had no row to lock, what another writer stored in between wins.
 */
export async function writeValues(tx: Tx, patches: readonly ValuePatch[]): Promise<void> {
  const known = patches.filter(({ isNew }) => !isNew);
  const fresh = patches.filter(({ isNew }) => isNew);
  if (known.length > 0)
    await tx.execute(sql`
      INSERT INTO custom_field_values AS v (device_id, org_id, "values")
      SELECT p."deviceId", p."orgId", p.patch FROM ${recordset(known)}
      ON CONFLICT (device_id) DO UPDATE SET "values" = jsonb_strip_nulls(v."values" || excluded."values"), updated_at = now()`);
  if (fresh.length > 0)
    await tx.execute(sql`
      INSERT INTO custom_field_values AS v (device_id, org_id, "values")
      SELECT p."deviceId", p."orgId", p.patch FROM ${recordset(fresh)} ORDER BY p."deviceId"
      ON CONFLICT (device_id) DO UPDATE SET "values" = excluded."values" || v."values", updated_at = now()`);
}
