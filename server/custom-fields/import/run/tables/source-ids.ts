import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** Source device IDs of one partner and product. */
type Product = { partnerId: string; source: string };
type SourceId = { sourceId: string; deviceId: string };

/**
 * Records the devices' source IDs.
 * @returns those recorded; the others belong to another device, possibly outside the caller's reach.
 */
export async function insertSourceIds(
  tx: Tx,
  { partnerId, source }: Product,
  rows: readonly (SourceId & { orgId: string })[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const recorded = await rowsOf<{ sourceId: string }>(
    tx,
    sql`
    INSERT INTO device_source_ids (partner_id, source, source_id, device_id, org_id)
    SELECT ${partnerId}::uuid, ${source}, r."sourceId", r."deviceId", r."orgId"
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS r("sourceId" text, "deviceId" uuid, "orgId" uuid)
    ON CONFLICT DO NOTHING RETURNING source_id AS "sourceId"`,
  );
  return new Set(recorded.map(({ sourceId }) => sourceId));
}

/** @returns the number removed. */
export async function deleteSourceIds(
  tx: Tx,
  { partnerId, source }: Product,
  rows: readonly SourceId[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const removed = await tx.execute(sql`
    DELETE FROM device_source_ids t
    USING jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS r("sourceId" text, "deviceId" uuid)
    WHERE t.partner_id = ${partnerId}::uuid AND t.source = ${source}
      AND t.source_id = r."sourceId" AND t.device_id = r."deviceId" RETURNING 1`);
  return removed.length;
}
