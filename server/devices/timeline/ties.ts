import { type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import { CONDITIONS } from "@/server/audit/query/conditions";
import type { EntryRow } from "@/server/audit/query/rows";
import { devicesNamed } from "@/server/audit/vocabulary";
import { ZERO_UUID } from "@/server/ground/context";
import { GUID } from "@/server/ground/text";
import { agentsOf, type Device, isAbout } from "./audit-items";
import type { Tie } from "./vocabulary";

type Shared = { condition: SQL; isShared: (row: EntryRow) => boolean };
/** Facts that an entry can share with others, as a condition and as a test of a row. */
export type Ties = ReadonlyMap<Tie, Shared>;
export type NamedDevice = Device & { isKnown: boolean };

/** Devices checked for the names in an entry. */
const MAX_NAMED = 50;

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const sessionOf = (row: EntryRow): string | null => textOf(toFullEntry(row).details.sessionId);
/** Actor of an entry, if any: its id, or the one in the details if it is not a UUID. */
const actorOf = (row: EntryRow): string | null =>
  row.actor_id !== ZERO_UUID ? row.actor_id : textOf(toFullEntry(row).details.rawActorId);

/** Device that an entry is about, names, or comes from; known if it still exists. */
export async function deviceOf(tx: Tx, row: EntryRow): Promise<NamedDevice | null> {
  const { details } = toFullEntry(row);
  const isDevice = row.resource_type === "device";
  const resourceId = isDevice && row.resource_id !== ZERO_UUID ? row.resource_id : null;
  const ids = [resourceId, textOf(details.deviceId)].filter((id) => id !== null);
  const agent = row.actor_type === "agent" ? actorOf(row) : null;
  const resource = isDevice ? textOf(row.resource_name) : null;
  const named = resource ? [resource] : devicesNamed(details);
  const names = sql`ARRAY(SELECT lower(n) FROM unnest(${textArray(named)}) WITH ORDINALITY AS u (n, i) ORDER BY i)`;
  const [name] = named;
  // By id, else by the first name that a device has, else by the agent.
  const found = await rowsOf<Device & { rank: number | null }>(
    tx,
    sql`SELECT d.id, d.org_id AS "orgId", d.hostname, CASE
        WHEN d.id = ANY (${sql.param(ids.filter((id) => GUID.test(id)))}::uuid[]) THEN 0
        ELSE array_position(${names}, lower(d.hostname)) END AS rank
      FROM devices d
      WHERE d.org_id = ${row.org_id}::uuid AND (d.id = ANY (${sql.param(ids.filter((id) => GUID.test(id)))}::uuid[])
        OR lower(d.hostname) = ANY (${names})
        OR d.id IN (SELECT g.device_id FROM agents g WHERE g.actor_id = ${agent ?? ""}))
      ORDER BY rank NULLS LAST LIMIT ${MAX_NAMED}`,
  );
  // A name shared by two devices identifies neither; the agent is ignored if a name matches.
  const isOnly = (one: (typeof found)[number]) => found.every((other) => other === one || other.rank !== one.rank);
  const only = found.find((one) => (one.rank === null ? one === found[0] : one.rank === 0 || isOnly(one)));
  if (only) return { id: only.id, orgId: only.orgId, hostname: only.hostname, isKnown: true };
  return name ? { id: ids[0] ?? "", orgId: row.org_id, hostname: name, isKnown: false } : null;
}

async function deviceTie(tx: Tx, device: NamedDevice): Promise<Shared> {
  const agents = device.isKnown ? await agentsOf(tx, device.id) : new Set<string>();
  return {
    condition: sql`(a.org_id = ${device.orgId}::uuid AND ${CONDITIONS.device([device.hostname], [device.orgId])})`,
    isShared: (row) => row.org_id === device.orgId && isAbout(row, device, agents),
  };
}

/** Ties of an entry; people and addresses are followed into every organization visible to the caller. */
export async function tiesOf(tx: Tx, entry: EntryRow, device: NamedDevice | null): Promise<Ties> {
  const [session, actor] = [sessionOf(entry), actorOf(entry)];
  const { actor_type: type, ip_address: address, org_id: orgId } = entry;
  const ties = new Map<Tie, Shared>();
  if (session)
    ties.set("session", {
      condition: CONDITIONS.session([session]),
      isShared: (row) => sessionOf(row) === session,
    });
  if (actor)
    ties.set("actor", {
      condition: sql`(a.actor_type = ${type} AND ${CONDITIONS.actorId([actor])})`,
      isShared: (row) => row.actor_type === type && actorOf(row) === actor,
    });
  if (address)
    ties.set("address", {
      condition: sql`a.ip_address = ${address}`,
      isShared: (row) => row.ip_address === address,
    });
  if (device) ties.set("device", await deviceTie(tx, device));
  return ties.set("organization", {
    condition: sql`a.org_id = ${orgId}::uuid`,
    isShared: (row) => row.org_id === orgId,
  });
}
