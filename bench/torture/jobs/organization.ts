import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { ownerOf } from "@/bench/torture/folder";
import { type Credentials, prepare } from "@/bench/torture/load";
import { isReady, type Server } from "@/testing/server";

const EVENTS_PER_POST = 500;
const TIMEOUT_MS = 60_000;

/** Waits for a condition, and names it on a timeout. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${TIMEOUT_MS / 1_000} s`);
    await sleep(50);
  }
}

/** Waits until the server answers after its database was killed. */
export const untilReady = ({ base }: Server): Promise<void> => until("ready", () => isReady(base));

/** Runs work as the database's owner, who sees every row. */
export async function withOwner<T>(server: Server, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = ownerOf(server);
  try {
    await sql`SELECT set_config('trailmark.scope', 'system', false)`;
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Runs work as the owner without triggers. */
export const tamper = (server: Server, work: (tx: postgres.TransactionSql) => Promise<unknown>): Promise<unknown> =>
  withOwner(server, (sql) =>
    sql.begin(async (tx) => {
      await tx`SET LOCAL session_replication_role = replica`;
      await work(tx);
    }),
  );

type Chain = { rows: number; head: number; pruned: number };

/** Length of an organization's chain by its head, and its number of rows. */
export const chainOf = (server: Server, orgId: string): Promise<Chain> =>
  withOwner(server, async (sql) => {
    const [row] = await sql<Chain[]>`
      SELECT h.seq::int AS head, h.pruned_through_seq::int AS pruned,
        (SELECT count(*)::int FROM audit_logs a WHERE a.org_id = h.org_id) AS rows
      FROM audit_chain_heads h WHERE h.org_id = ${orgId}`;
    return row ?? { rows: 0, head: 0, pruned: 0 };
  });

/** Adds entries to an organization's log and waits for them. */
export async function addEntries(server: Server, { key, orgId }: Credentials, count: number): Promise<void> {
  const before = await chainOf(server, orgId);
  for (let at = 0; at < count; at += EVENTS_PER_POST) {
    const events = Array.from({ length: Math.min(EVENTS_PER_POST, count - at) }, () => {
      const id = randomUUID();
      const what = { actorType: "system", actorId: "torture", action: "device.update", resourceType: "device" };
      return { id, ...what, resourceName: "T", details: { id }, result: "success" };
    });
    const answer = await fetch(`${server.base}/api/v1/audit-logs/events`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ events }),
    });
    if (answer.status !== 202) throw new Error(`events: ${answer.status} ${await answer.text()}`);
  }
  await until("the entries", async () => (await chainOf(server, orgId)).head >= before.head + count);
}

/** An organization with entries, and credentials for it. */
export async function createFilled(server: Server, rows: number): Promise<Credentials> {
  const credentials = await prepare(server.base);
  await addEntries(server, credentials, rows);
  return credentials;
}
