import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import { planFor } from "@/server/audit/query/plan";
import { type Cursor, ENTRY, type EntryRow, rowsByKey } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import { devicesNamed } from "@/server/audit/vocabulary";
import { type Ctx, ZERO_UUID } from "@/server/ground/context";
import { narrow } from "@/server/ground/scope";
import type { Start } from "./cursor";
import type { TimelineInput, TimelineItem } from "./schema";

export type Device = { id: string; orgId: string; hostname: string };

const MIN_KEYS = 100;

/** The lists' cursor for a start position. */
function cursorOf(start: Start, orgId: string): Cursor | undefined {
  if (!start) return undefined;
  if (start.before !== null) return { ms: start.ms, seq: start.before, orgId };
  return { ms: start.isAfterAll ? start.ms + 1 : start.ms, seq: "0", orgId: ZERO_UUID };
}

/** Agents on a device, as named in entries. */
export async function agentsOf(tx: Tx, deviceId: string): Promise<ReadonlySet<string>> {
  const rows = await rowsOf<{ id: string }>(
    tx,
    sql`SELECT actor_id AS id FROM agents WHERE device_id = ${deviceId}::uuid`,
  );
  return new Set(rows.map((row) => row.id));
}

/** Name of the device of an entry whose id is not a UUID and so stored as zeros. */
const resourceNamed = (row: Omit<EntryRow, "details">): string | null =>
  row.resource_type === "device" && (row.resource_id === null || row.resource_id === ZERO_UUID)
    ? row.resource_name
    : null;

/** The filter matches part of the hostname; this keeps entries of exactly this device. */
export function isAbout({ details, ...row }: EntryRow, device: Device, agents: ReadonlySet<string>): boolean {
  if (row.resource_id === device.id) return true;
  const about = toFullEntry({ ...row, details }).details;
  if (row.actor_type === "agent" && (agents.has(row.actor_id) || agents.has(String(about.rawActorId)))) return true;
  if (typeof about.deviceId === "string" && about.deviceId !== "") return about.deviceId === device.id;
  const resource = resourceNamed(row);
  const names = resource ? [resource] : devicesNamed(about);
  return names.some((name) => name.toLowerCase() === device.hostname.toLowerCase());
}

/** Newest audit entries about a device, by id, agent or hostname, from a start position on. */
export async function auditItems(
  tx: Tx,
  { ctx, device, input, start }: { ctx: Ctx; device: Device; input: TimelineInput; start: Start },
): Promise<TimelineItem[]> {
  const { from, to, search, limit } = input;
  const filter = { device: [device.hostname], from, to, ...(search && { q: search }) };
  const plan = await planFor(tx, narrow(ctx, device.orgId), filter);
  const agents = await agentsOf(tx, device.id);
  const found: TimelineItem[] = [];
  let after = cursorOf(start, device.orgId);
  const need = Math.max(MIN_KEYS, limit + 1);
  while (found.length <= limit) {
    const { keys } = await findKeys(tx, plan, { after, need });
    for (const row of await rowsByKey(tx, keys, ENTRY)) {
      if (!isAbout(row, device, agents)) continue;
      found.push({ source: "audit", at: new Date(row.ms).toISOString(), key: row.chain_seq, entry: toFullEntry(row) });
    }
    after = keys.at(-1);
    if (keys.length < need) break;
  }
  return found.slice(0, limit + 1);
}
