import { sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { Candidate } from "@/server/custom-fields/import/row-schema";
import type { Result } from "@/server/custom-fields/import/run/tables/results";

export type DeviceNames = ReadonlyMap<string, Candidate>;

/** The devices within reach that results name, by id, with what distinguishes them. */
export async function nameDevices(tx: Tx, orgIds: readonly string[], results: readonly Result[]): Promise<DeviceNames> {
  const ids = new Set<string>();
  for (const { deviceId, candidates, pickedDeviceId } of results)
    for (const id of [deviceId, pickedDeviceId, ...(candidates ?? [])]) if (id) ids.add(id);
  if (ids.size === 0) return new Map();
  const found = await rowsOf<Candidate>(
    tx,
    sql`
    SELECT d.id AS "deviceId", d.hostname, o.name AS organization, d.os, d.serial_number AS serial, d.last_ip AS address,
      to_json(d.last_seen_at) AS "lastSeenAt", to_json(d.created_at) AS "enrolledAt"
    FROM devices d JOIN organizations o ON o.id = d.org_id
    WHERE d.id = ANY(${uuids(ids)}) AND d.org_id = ANY(${uuids(orgIds)})`,
  );
  return new Map(found.map((device) => [device.deviceId, device]));
}
