import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import type { Server } from "@/testing/server";
import { ownerUrl } from "./folder";
import { type Acknowledged, type Credentials, signIn } from "./load";

export type Findings = { acknowledged: number; missing: number; duplicates: number; unsealed: number; breaks: number };

const SETTLE_MS = 20_000;

/** Waits until the recorder has written all acknowledged events from the spool. */
export async function untilWritten(base: string): Promise<void> {
  const deadline = Date.now() + SETTLE_MS;
  while (Date.now() < deadline) {
    const text = await fetch(`${base}/metrics`).then((r) => r.text());
    const waiting = Number(/^trailmark_audit_queue (\S+)/m.exec(text)?.[1] ?? Number.NaN);
    if (waiting === 0) return;
    await sleep(100);
  }
}

/** Compares the database with acknowledged events. */
export async function compare(server: Server, credentials: Credentials, acked: Acknowledged): Promise<Findings> {
  return compareAt({ bases: [server.base], url: ownerUrl(server) }, credentials, acked);
}

/** compare() for several processes on one database, at an address whose role sees every row. */
export async function compareAt(
  { bases, url }: { bases: string[]; url: string },
  { orgId }: Credentials,
  acked: Acknowledged,
): Promise<Findings> {
  const [base = ""] = bases;
  for (const each of bases) await untilWritten(each);
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
    const token = await signIn(base);
    const integrity = await fetch(`${base}/api/v1/audit-logs/integrity?orgId=${orgId}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    if (!integrity.ok) throw new Error(`integrity: ${integrity.status} ${await integrity.text()}`);
    const { breaks }: { breaks: unknown[] } = await integrity.json();
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
