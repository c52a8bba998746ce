import postgres from "postgres";
import { holdsInTime } from "@/bench/until";
import type { Server } from "@/testing/server";
import { type At, byAdmin, type Credentials } from "./api";
import { ownerUrl } from "./folder";
import type { Acknowledged } from "./load";

export type Findings = { acknowledged: number; missing: number; duplicates: number; unsealed: number; breaks: number };

/** How much of it is wrong. */
export const wrongIn = ({ missing, duplicates, unsealed, breaks }: Findings): number =>
  missing + duplicates + unsealed + breaks;

const SETTLE_MS = 20_000;

/** Waits until the recorder has written all acknowledged events from the spool. */
export async function untilWritten({ base }: At): Promise<void> {
  const isWritten = async () => {
    const text = await fetch(`${base}/metrics`).then((r) => r.text());
    return /^trailmark_audit_queue (\S+)/m.exec(text)?.[1] === "0";
  };
  await holdsInTime(isWritten, { ms: SETTLE_MS, pauseMs: 100 });
}

/** Compares the database with acknowledged events. */
export const compare = (server: Server, credentials: Credentials, acked: Acknowledged): Promise<Findings> =>
  compareAt({ bases: [server.base], url: ownerUrl(server) }, credentials, acked);

/** compare() for several processes on one database, at an address whose role sees every row. */
export async function compareAt(
  { bases, url }: { bases: string[]; url: string },
  { orgId }: Credentials,
  acked: Acknowledged,
): Promise<Findings> {
  for (const base of bases) await untilWritten({ base });
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const audit = await sql<
      { id: string; sealed: boolean }[]
    >`SELECT details ->> 'id' AS id, chain_seq IS NOT NULL AS sealed FROM audit_logs WHERE org_id = ${orgId} AND action = 'device.update'`;
    const device = await sql<{ id: string }[]>`SELECT event_id AS id FROM device_event_logs WHERE org_id = ${orgId}`;
    const logs = await sql<{ id: string }[]>`SELECT message AS id FROM agent_logs WHERE org_id = ${orgId}`;
    const missingOf = (promised: Set<string>, rows: { id: string }[]) => {
      const stored = new Set(rows.map((r) => r.id));
      return [...promised].filter((id) => !stored.has(id)).length;
    };
    const doubled = (rows: { id: string }[]) => rows.length - new Set(rows.map((r) => r.id)).size;
    const path = `/audit-logs/integrity?orgId=${orgId}`;
    const { breaks } = await byAdmin<{ breaks: unknown[] }>({ base: bases[0] ?? "" }, path);
    return {
      acknowledged: acked.events.size + acked.deviceEvents.size + acked.logs.size,
      missing: missingOf(acked.events, audit) + missingOf(acked.deviceEvents, device) + missingOf(acked.logs, logs),
      duplicates: doubled(audit) + doubled(device),
      unsealed: audit.filter((r) => !r.sealed).length,
      breaks: breaks.length,
    };
  } finally {
    await sql.end({ timeout: 5 });
  }
}
