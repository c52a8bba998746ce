import { holdsInTime } from "@/bench/until";
import type { Server } from "@/testing/server";
import { type At, byAdmin, type Credentials } from "./api";
import { ownerUrl, withSql } from "./folder";
import { type Found, listed } from "./line";
import { type Acknowledged, type Load, tallied, wrongAnswers } from "./load";

type Broken = { type: string };
type Findings = { acknowledged: number; missing: number; duplicates: number; unsealed: number; breaks: Broken[] };

const SETTLE_MS = 20_000;

/** Waits until the recorder has written all acknowledged events from the spool. */
export async function untilWritten({ base }: At): Promise<void> {
  const isWritten = async () => {
    const text = await fetch(`${base}/metrics`).then((r) => r.text());
    return /^trailmark_audit_queue (\S+)/m.exec(text)?.[1] === "0";
  };
  await holdsInTime(isWritten, { ms: SETTLE_MS, pauseMs: 100 });
}

type Stored = { bases: string[]; url: string };

/** The processes of a server, and an address of its database whose role sees every row. */
const storedBy = (server: Server): Stored => ({ bases: [server.base], url: ownerUrl(server) });

/** Compares the database with acknowledged events. */
export const compare = (server: Server, { orgId }: Pick<Credentials, "orgId">, acked: Acknowledged) =>
  compareAt(storedBy(server), orgId, acked);

async function compareAt({ bases, url }: Stored, orgId: string, acked: Acknowledged): Promise<Findings> {
  for (const base of bases) await untilWritten({ base });
  const path = `/audit-logs/integrity?orgId=${orgId}`;
  return withSql(url, async (sql) => {
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
    return {
      acknowledged: acked.events.size + acked.deviceEvents.size + acked.logs.size,
      missing: missingOf(acked.events, audit) + missingOf(acked.deviceEvents, device) + missingOf(acked.logs, logs),
      duplicates: doubled(audit) + doubled(device),
      unsealed: audit.filter((r) => !r.sealed).length,
      breaks: (await byAdmin<{ breaks: Broken[] }>({ base: bases[0] ?? "" }, path)).breaks,
    };
  });
}

/**
 * Everything acknowledged to loads has to be in the database once, sealed and in an unbroken chain.
 * @returns the number of acknowledged events
 */
export async function judgeAt(found: Found, stored: Stored, loads: readonly [Load, ...Load[]]): Promise<number> {
  const all = (kind: keyof Acknowledged) => new Set(loads.flatMap(({ acked }) => [...acked[kind]]));
  const acked = { events: all("events"), deviceEvents: all("deviceEvents"), logs: all("logs") };
  const { acknowledged, breaks, ...lost } = await compareAt(stored, loads[0].credentials.orgId, acked);
  found.caught = (found.caught ?? 0) + lost.missing;
  found.note(listed({ acknowledged, ...lost, breaks: breaks.length }));
  for (const { answers, refused } of loads) found.note(`answers ${tallied(answers)}, refused ${refused}`);
  for (const [kind, count] of Object.entries(lost)) found.fault(kind, count);
  for (const broken of breaks) found.fault(`a break: ${JSON.stringify(broken)}`);
  return acknowledged;
}

/** The same for one load of one server, which may have answered nobody with an error of its own making but 503. */
export async function judge(found: Found, server: Server, load: Load): Promise<number> {
  for (const [status, count] of wrongAnswers(load.answers)) found.fault(`answered ${status}`, count);
  return judgeAt(found, storedBy(server), [load]);
}
