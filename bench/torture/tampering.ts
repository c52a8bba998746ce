import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { itemAt } from "@/server/ground/records";
import { killServer, type Server, stopServer } from "@/testing/server";
import { compare } from "./compare";
import { ownerOf, startShared } from "./folder";
import { type Acknowledged, type Credentials, nothingYet, prepare, signIn } from "./load";
import { runProduct } from "./product";
import type { Line } from "./types";

/** Tampering by the database's owner, and the server's verdict over the wire. */

const CHAIN = 100;
const FULL_ROUNDS = 20;
const SIGN_IN_EVERY = 50;
const START = Date.UTC(2026, 0, 5, 9);
const at = (seq: number): string => new Date(START + seq * 1_000).toISOString();

type Target = { server: Server; sql: postgres.Sql; credentials: Credentials };
type Range = { from: number; to: number };

async function post({ server, credentials: { key } }: Target, events: object[]): Promise<number> {
  const answer = await fetch(`${server.base}/api/v1/audit-logs/events`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ events }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const event = (timestamp?: string) => {
  const id = randomUUID();
  const what = { actorType: "system", actorId: "torture", action: "device.update", resourceType: "device" };
  return { id, ...what, resourceName: "T", details: { id }, result: "success", ...(timestamp && { timestamp }) };
};

/** Waits until a submitted event is stored, and everything recorded for its organization before. */
async function submitted(target: Target, events: ReturnType<typeof event>[]): Promise<void> {
  const status = await post(target, events);
  if (status !== 202) throw new Error(`events: ${status}`);
  const missing = await untilStored(
    target,
    events.map(({ id }) => id),
  );
  if (missing > 0) throw new Error(`${missing} of ${events.length} entries did not come`);
}

/** An organization with a hundred entries, one per second. */
async function createChain(server: Server, sql: postgres.Sql): Promise<Target> {
  const target = { server, sql, credentials: await prepare(server.base) };
  // Creating the organization is recorded a moment later, so waits before counting.
  await submitted(target, [event()]);
  const [had] = await rowsBeside(target);
  const missing = CHAIN - (had?.count ?? 0);
  await submitted(
    target,
    Array.from({ length: missing }, (_, i) => event(at(CHAIN - missing + i + 1))),
  );
  return target;
}

const rowsBeside = ({ sql, credentials: { orgId } }: Target) =>
  sql<{ count: number }[]>`SELECT count(*)::int AS count FROM audit_logs WHERE org_id = ${orgId}`;

/** Runs a statement without triggers. */
const tamper = ({ sql, credentials: { orgId } }: Target, statement: string): Promise<unknown> =>
  sql.begin(async (tx) => {
    await tx`SET LOCAL session_replication_role = replica`;
    await tx.unsafe(statement.replaceAll("ORG", `'${orgId}'`));
  });

/** The server's verdict on the whole chain, or on a range of seconds. */
async function verdict({ server, credentials }: Target, range?: Range): Promise<string> {
  const query = new URLSearchParams({ orgId: credentials.orgId });
  if (range) {
    query.set("from", at(range.from));
    query.set("to", at(range.to));
  }
  const answer = await fetch(`${server.base}/api/v1/audit-logs/integrity?${query}`, {
    headers: { Authorization: `Bearer ${credentials.accessToken}` },
  });
  const body: { status?: string; code?: string } = await answer.json();
  return body.status ?? `${body.code}`;
}

async function night({ server, credentials: { orgId } }: Target): Promise<string> {
  const { out } = await runProduct(server, ["nightly", "--org", orgId, "--json"]);
  const report: { organizations: { status: string }[] } = JSON.parse(out);
  return report.organizations[0]?.status ?? "nothing";
}

/** A judge that only looks at existing entries: each must be intact, and linked to the previous one if present. */
async function isBelieved({ sql, credentials: { orgId } }: Target): Promise<boolean> {
  const [row] = await sql<{ sound: boolean }[]>`
    SELECT coalesce(bool_and(prev_checksum = before OR before IS NULL), true) AS sound FROM (
      SELECT a.prev_checksum, b.checksum AS before FROM audit_logs a
      LEFT JOIN audit_logs b ON b.org_id = a.org_id AND b.chain_seq = a.chain_seq - 1 WHERE a.org_id = ${orgId}) links`;
  return row?.sound === true;
}

/** All runs of adjacent entries in random order, or the ends and some others. */
function deletions(full: boolean, random: () => number): Range[] {
  const all: Range[] = [];
  for (let from = 1; from <= CHAIN; from++) for (let to = from; to <= CHAIN; to++) all.push({ from, to });
  if (full)
    return all
      .map((range) => ({ range, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ range }) => range);
  const edges = [
    [1, 1],
    [CHAIN, CHAIN],
    [1, CHAIN],
    [2, CHAIN],
    [1, CHAIN - 1],
  ].map(([from, to]) => ({ from: from ?? 1, to: to ?? 1 }));
  return [...edges, ...Array.from({ length: 20 }, () => itemAt(all, Math.floor(random() * all.length)))];
}

/**
 * C4: each run of entries deleted, verified as a whole, by its own times, by surrounding and other times, and at night.
 */
export const deletionsLine: Line = {
  id: "C4",
  title: "every range of entries in a chain of 100 deleted by the owner",
  run: async ({ rounds, random, minutes }) => {
    const server = await startShared();
    const sql = ownerOf(server);
    const faults: string[] = [];
    let [tried, believed, nights, deleted] = [0, 0, 0, 0];
    const until = Date.now() + minutes * 60_000;
    try {
      const target = await createChain(server, sql);
      const { orgId } = target.credentials;
      if ((await verdict(target)) !== "intact") faults.push("the chain was not intact before");
      const all = deletions(rounds >= FULL_ROUNDS, random);
      for (const range of all) {
        if (Date.now() > until) break;
        // Access tokens live for minutes.
        if (deleted++ % SIGN_IN_EVERY === 0) target.credentials.accessToken = await signIn(server.base);
        const { from, to } = range;
        const [kept] = await sql<{ rows: string }[]>`
          SELECT jsonb_agg(a)::text AS rows FROM audit_logs a WHERE org_id = ${orgId} AND chain_seq BETWEEN ${from} AND ${to}`;
        await tamper(target, `DELETE FROM audit_logs WHERE org_id = ORG AND chain_seq BETWEEN ${from} AND ${to}`);
        const asked: Record<string, string> = {
          whole: await verdict(target),
          "its times": await verdict(target, range),
          "times around": await verdict(target, { from: Math.max(1, from - 3), to: Math.min(CHAIN, to + 3) }),
          "other times": await verdict(target, { from: 1, to: 2 }),
        };
        if (deleted % 50 === 1) {
          asked["the night"] = await night(target);
          nights++;
        }
        for (const [name, found] of Object.entries(asked))
          if (found !== "broken") faults.push(`${from} to ${to}, ${name}: ${found}`);
        tried += Object.keys(asked).length;
        if (await isBelieved(target)) believed++;
        const rows = kept?.rows ?? "[]";
        await sql.begin(async (tx) => {
          await tx`SET LOCAL session_replication_role = replica`;
          await tx`INSERT INTO audit_logs SELECT * FROM jsonb_populate_recordset(NULL::audit_logs, ${rows}::text::jsonb)`;
        });
      }
      if ((await verdict(target)) !== "intact") faults.push("the chain was not intact afterwards");
    } finally {
      await sql.end();
      await stopServer(server);
    }
    if (believed === 0) faults.push("the control, which looks for no gaps, believed none");
    const detail = `${deleted} runs deleted, ${tried} verdicts, ${nights} nights; the control, which looks for no gaps, believed ${believed}`;
    return { tried, failed: faults.length, detail: [detail, ...faults.slice(0, 8)].join("; ") };
  },
};

/** Tampered heads, which must be reported as a lost head or end. */
const HEADS = {
  "the head deleted": "DELETE FROM audit_chain_heads WHERE org_id = ORG",
  "the head lowered": "UPDATE audit_chain_heads SET seq = 90 WHERE org_id = ORG",
  "the head altered": "UPDATE audit_chain_heads SET checksum = repeat('0', 64) WHERE org_id = ORG",
};

/** Whether readiness and metrics report lost heads, and alarms of broken chains. */
const shows = async ({ base }: Server, chains: number): Promise<{ readyz: boolean; metric: boolean }> => {
  const ready: { checks?: { name: string; ok: boolean }[] } = await (await fetch(`${base}/readyz`)).json();
  const metrics = await (await fetch(`${base}/metrics`)).text();
  const countOf = (about: string) =>
    Number(new RegExp(`^trailmark_audit_${about} (\\d+)`, "m").exec(metrics)?.[1] ?? 0);
  return {
    readyz: ["heads", "alarms"].every((about) => ready.checks?.some(({ name, ok }) => name === about && !ok)),
    metric: ["lost_heads", "broken_chains"].every((about) => countOf(about) >= chains),
  };
};

async function untilShown(server: Server, chains: number): Promise<string[]> {
  for (let waited = 0; ; waited++) {
    const { readyz, metric } = await shows(server, chains);
    if (readyz && metric) return [];
    if (waited === 300)
      return [`/readyz ${readyz ? "shows" : "hides"} them, the metrics ${metric ? "show" : "hide"} them`];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A chain without its head, its submissions since, and faults. */
type Wounded = { name: string; target: Target; acked: Acknowledged; faults: string[]; isBelieved: boolean };

async function wound(name: string, statement: string, target: Target): Promise<Wounded> {
  await verdict(target);
  await tamper(target, statement);
  const found = await verdict(target);
  const faults = found === "broken" ? [] : [`${name}: ${found}`];
  return { name, target, acked: nothingYet(), faults, isBelieved: await isBelieved(target) };
}

/** Sealing does not notice an altered checksum of the right row: the break is at the next one. */
const isHeld = ({ name }: Wounded): boolean => !name.endsWith("altered");

async function submit({ name, target, acked, faults }: Wounded): Promise<void> {
  const events = Array.from({ length: 5 }, () => event());
  const status = await post(target, events);
  // 503 means retry, but submissions must be kept anyway.
  if (status !== 202 && status !== 503) faults.push(`${name}: events were answered ${status}`);
  for (const { id } of events) acked.events.add(id);
}

async function repair({ name, target, faults }: Wounded): Promise<void> {
  const { code, out, err } = await runProduct(target.server, ["repair-head", "--org", target.credentials.orgId]);
  if (code !== 0) faults.push(`${name}: repair-head ended with ${code}: ${out}${err}`);
}

async function examine({ name, target, acked, faults }: Wounded): Promise<void> {
  const missing = await untilStored(target, [...acked.events]);
  if (missing > 0) faults.push(`${name}: ${missing} of ${acked.events.size} events are missing`);
  const { breaks, unsealed } = await compare(target.server, target.credentials, nothingYet());
  if (breaks + unsealed > 0) faults.push(`${name}: ${breaks} breaks, ${unsealed} unsealed afterwards`);
}

/** Chains without a valid head, all on one server, which checks a few times a minute. */
async function losesItsHeads(first: Server): Promise<{ server: Server; wounded: Wounded[] }> {
  const before = ownerOf(first);
  const wounded: Wounded[] = [];
  for (const [name, statement] of Object.entries(HEADS))
    wounded.push(await wound(name, statement, await createChain(first, before)));
  wounded[0]?.faults.push(...(await untilShown(first, wounded.length)));
  for (const one of wounded.filter(isHeld)) for (let i = 0; i < 4; i++) await submit(one);
  await before.end();
  await killServer(first);
  const server = await startShared();
  const sql = ownerOf(server);
  for (const one of wounded) one.target = { ...one.target, server, sql };
  for (const one of wounded.filter(isHeld)) await submit(one);
  for (const one of wounded) await repair(one);
  for (const one of wounded) await submit(one);
  for (const one of wounded) await examine(one);
  await sql.end();
  return { server, wounded };
}

/**
 * C6: a head deleted, lowered or altered during writes: nothing is refused or lost, even by kill -9 of the server; the
 * verdict is broken until the head is rebuilt, and then everything is in the chain. Checkpoints lost with their folder
 * are reported too.
 */
export const headsLine: Line = {
  id: "C6",
  title: "heads and checkpoints lost, moved or altered while events arrive",
  run: async ({ rounds }) => {
    const faults: string[] = [];
    let server = await startShared();
    let [chains, tried, believed] = [0, 0, 0];
    for (let round = 0; round < rounds; round++) {
      const done = await losesItsHeads(server);
      server = done.server;
      chains += done.wounded.length;
      believed += done.wounded.filter((one) => one.isBelieved).length;
      tried += done.wounded.reduce((sum, { acked }) => sum + acked.events.size, 0);
      faults.push(...done.wounded.flatMap((one) => one.faults));
    }
    const lost = await losesItsCheckpoints(server);
    server = lost.server;
    faults.push(...lost.faults);
    await stopServer(server);
    const detail = `${tried} events submitted to ${chains} chains without a good head, their server killed once a round; the control, which looks at no head, believed ${believed}`;
    if (believed === 0) faults.push("the control, which looks at no head, believed none");
    return { tried, failed: tried === 0 ? 1 : faults.length, detail: [detail, ...faults.slice(0, 8)].join("; ") };
  },
};

/** Number of events missing from the log after half a minute. */
async function untilStored({ sql, credentials: { orgId } }: Target, ids: string[]): Promise<number> {
  for (let waited = 0; ; waited++) {
    const stored = await sql<{ id: string }[]>`
      SELECT DISTINCT details ->> 'id' AS id FROM audit_logs WHERE org_id = ${orgId} AND details ->> 'id' = ANY (${ids})`;
    if (stored.length === ids.length || waited === 300) return ids.length - stored.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Signs a checkpoint now. @returns its last sequence */
async function sign({ server, credentials: { orgId, accessToken } }: Target): Promise<number> {
  const answer = await fetch(`${server.base}/api/v1/audit-logs/checkpoints?orgId=${orgId}&sign=true`, {
    headers: { Authorization: `Bearer ${accessToken}` },
  });
  const { data }: { data: { size: number }[] } = await answer.json();
  return data[0]?.size ?? 0;
}

/** A rewritten end, with contradicting checkpoints deleted in the database, the folder, and both. */
async function losesItsCheckpoints(first: Server): Promise<{ server: Server; faults: string[] }> {
  const CUT = `DELETE FROM audit_logs WHERE org_id = ORG AND chain_seq > 90;
    UPDATE audit_chain_heads h SET seq = 90, checksum = (SELECT checksum FROM audit_logs a WHERE a.org_id = h.org_id AND chain_seq = 90) WHERE org_id = ORG`;
  const NOTES = "DELETE FROM audit_notes WHERE org_id = ORG";
  const sql = ownerOf(first);
  const cut: { name: string; target: Target; signed: number }[] = [];
  const folders: string[] = [];
  for (const [name, statement, folder] of [
    ["the notes of the database", `${CUT};${NOTES}`, false],
    ["the folder", CUT, true],
    ["both", `${CUT};${NOTES}`, true],
  ] as const) {
    const target = await createChain(first, sql);
    await verdict(target);
    cut.push({ name, target, signed: await sign(target) });
    await tamper(target, statement);
    if (folder) folders.push(join(first.dataDir, "checkpoints", target.credentials.orgId));
  }
  await sql.end();
  await stopServer(first);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  const server = await startShared();
  const faults: string[] = [];
  for (const { name, target, signed } of cut)
    if ((await verdict({ ...target, server })) === "intact")
      faults.push(`ten entries cut and ${name} of its checkpoints lost: intact, signed through ${signed} before`);
  return { server, faults };
}
