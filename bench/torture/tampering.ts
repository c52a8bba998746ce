import { rmSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { holdsInTime } from "@/bench/until";
import { itemAt } from "@/server/ground/records";
import { killServer, type Server, stopServer } from "@/testing/server";
import { type Credentials, createEvent, createEvents, json, postEvents, prepare, signIn, verdictOn } from "./api";
import { compare } from "./compare";
import { type Site, tamper, withOwner, withServer } from "./folder";
import type { Line } from "./line";
import { nothingYet } from "./load";
import { nightOf, runProduct } from "./product";

/** Tampering by the database's owner, and the server's verdict over the wire. */

const CHAIN = 100;
const SIGN_IN_EVERY = 50;
const PATIENCE = { ms: 30_000, pauseMs: 100 };
const START = Date.UTC(2026, 0, 5, 9);
const at = (seq: number): string => new Date(START + seq * 1_000).toISOString();

type Target = { server: Site; credentials: Credentials };
type Range = { from: number; to: number };

/** Until events that were submitted are stored, and with them what was recorded for their organization before. */
async function submitted({ server, credentials }: Target, events: ReturnType<typeof createEvent>[]): Promise<void> {
  const { status } = await postEvents(server, credentials, events);
  if (status !== 202) throw new Error(`events: ${status}`);
  const ids = events.map(({ id }) => id);
  const missing = await untilStored({ server, credentials }, ids);
  if (missing > 0) throw new Error(`${missing} of ${events.length} entries did not come`);
}

/** An organization with a hundred entries, one per second. */
async function createChain(server: Site): Promise<Target> {
  const target = { server, credentials: await prepare(server) };
  // Creating the organization is recorded a moment later, so waits before counting.
  await submitted(target, [createEvent()]);
  const [had] = await rowsBeside(target);
  const missing = CHAIN - (had?.count ?? 0);
  const events = Array.from({ length: missing }, (_, i) => createEvent({ timestamp: at(CHAIN - missing + i + 1) }));
  await submitted(target, events);
  return target;
}

const rowsBeside = ({ server, credentials: { orgId } }: Target) =>
  withOwner(
    server,
    (sql) => sql<{ count: number }[]>`SELECT count(*)::int AS count FROM audit_logs WHERE org_id = ${orgId}`,
  );

/** Runs a statement without triggers. */
const tamperBy = ({ server, credentials: { orgId } }: Target, statement: string): Promise<unknown> =>
  tamper(server, (tx) => tx.unsafe(statement.replaceAll("ORG", `'${orgId}'`)));

/** The server's verdict on the whole chain, or on a range of seconds. */
const verdict = async ({ server, credentials: { orgId, accessToken: token } }: Target, range?: Range) =>
  (await verdictOn(server, orgId, { token, ...(range && { from: at(range.from), to: at(range.to) }) })).status;

/** A judge that only looks at existing entries: each must be intact, and linked to the previous one if present. */
async function isBelieved({ server, credentials: { orgId } }: Target): Promise<boolean> {
  const [row] = await withOwner(
    server,
    (sql) => sql<{ sound: boolean }[]>`
      SELECT coalesce(bool_and(prev_checksum = before OR before IS NULL), true) AS sound FROM (
        SELECT a.prev_checksum, b.checksum AS before FROM audit_logs a
        LEFT JOIN audit_logs b ON b.org_id = a.org_id AND b.chain_seq = a.chain_seq - 1 WHERE a.org_id = ${orgId}) links`,
  );
  return row?.sound === true;
}

/** Deletes a run of entries while fn looks, then puts it back. */
async function without<T>({ server, credentials: { orgId } }: Target, { from, to }: Range, fn: () => Promise<T>) {
  const run = (sql: postgres.ISql) => sql`org_id = ${orgId} AND chain_seq BETWEEN ${from} AND ${to}`;
  const [kept] = await withOwner(
    server,
    (sql) => sql<{ rows: string }[]>`SELECT jsonb_agg(a)::text AS rows FROM audit_logs a WHERE ${run(sql)}`,
  );
  await tamper(server, (tx) => tx`DELETE FROM audit_logs WHERE ${run(tx)}`);
  const found = await fn();
  await tamper(
    server,
    (tx) => tx`
      INSERT INTO audit_logs
      SELECT * FROM jsonb_populate_recordset(NULL::audit_logs, ${kept?.rows ?? "[]"}::text::jsonb)`,
  );
  return found;
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

/** Verdicts on a chain without some entries, and whether a judge that looks for no gaps believes it. */
const judgeWithout = (target: Target, { from, to }: Range, isNightly: boolean) =>
  without(target, { from, to }, async () => {
    const verdicts: Record<string, string> = {
      whole: await verdict(target),
      "its times": await verdict(target, { from, to }),
      "times around": await verdict(target, { from: Math.max(1, from - 3), to: Math.min(CHAIN, to + 3) }),
      "other times": await verdict(target, { from: 1, to: 2 }),
    };
    if (isNightly) verdicts["the night"] = (await nightOf(target.server, target.credentials.orgId)).status;
    return { verdicts, isSound: await isBelieved(target) };
  });

/**
 * C4: each run of entries deleted, verified as a whole, by its own times, by surrounding and other times, and at night.
 */
export const deletedRuns: Line = {
  id: "C4",
  title: "every range of entries in a chain of 100 deleted by the owner",
  ...{ quick: 1, full: 20 },
  run: ({ isFull, random, minutes }, found) =>
    withServer(async (server) => {
      let [believed, deleted] = [0, 0];
      const until = Date.now() + minutes * 60_000;
      const target = await createChain(server);
      if ((await verdict(target)) !== "intact") found.fault("the chain was not intact before");
      for (const range of deletions(isFull, random)) {
        if (Date.now() > until) break;
        // Access tokens live for minutes.
        if (deleted++ % SIGN_IN_EVERY === 0) target.credentials.accessToken = await signIn(server);
        const { verdicts, isSound } = await judgeWithout(target, range, deleted % SIGN_IN_EVERY === 1);
        for (const [name, said] of Object.entries(verdicts))
          found.check(said === "broken", `${range.from} to ${range.to}, ${name}: ${said}`);
        if (isSound) believed++;
      }
      if ((await verdict(target)) !== "intact") found.fault("the chain was not intact afterwards");
      found.note(`${deleted} runs deleted`);
      found.control(`a judge that looks for no gaps, which believed ${believed}`, Math.min(1, believed));
    }),
};

/** Heads after tampering, of which the log must report that it lost its head or its end. */
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
  let found = { readyz: false, metric: false };
  const isShown = async () => {
    found = await shows(server, chains);
    return found.readyz && found.metric;
  };
  if (await holdsInTime(isShown, PATIENCE)) return [];
  const { readyz, metric } = found;
  return [`/readyz ${readyz ? "shows" : "hides"} them, the metrics ${metric ? "show" : "hide"} them`];
}

/** A chain whose head was removed, the events handed in for it since, and the faults found. */
type Wounded = { name: string; target: Target; ids: string[]; faults: string[]; isBelieved: boolean };

async function wound(name: string, statement: string, target: Target): Promise<Wounded> {
  await verdict(target);
  await tamperBy(target, statement);
  const found = await verdict(target);
  const faults = found === "broken" ? [] : [`${name}: ${found}`];
  return { name, target, ids: [], faults, isBelieved: await isBelieved(target) };
}

/** Sealing does not notice an altered checksum of the right row: the break is at the next one. */
const isHeld = ({ name }: Wounded): boolean => !name.endsWith("altered");

async function submit({ name, target, ids, faults }: Wounded): Promise<void> {
  const events = createEvents(5);
  const { status } = await postEvents(target.server, target.credentials, events);
  // 503 means retry, but submissions must be kept anyway.
  if (status !== 202 && status !== 503) faults.push(`${name}: events were answered ${status}`);
  ids.push(...events.map(({ id }) => id));
}

async function repair({ name, target, faults }: Wounded): Promise<void> {
  const { code, out, err } = await runProduct(target.server, ["repair-head", "--org", target.credentials.orgId]);
  if (code !== 0) faults.push(`${name}: repair-head ended with ${code}: ${out}${err}`);
}

async function examine({ name, target, ids, faults }: Wounded): Promise<void> {
  const missing = await untilStored(target, ids);
  if (missing > 0) faults.push(`${name}: ${missing} of ${ids.length} events are missing`);
  const { breaks, unsealed } = await compare(target.server, target.credentials, nothingYet());
  if (breaks.length + unsealed > 0) faults.push(`${name}: ${breaks.length} breaks, ${unsealed} unsealed afterwards`);
}

/** Chains without a valid head, all on one server, which checks a few times a minute. */
async function losesItsHeads(server: Site): Promise<Wounded[]> {
  const wounded: Wounded[] = [];
  for (const [name, statement] of Object.entries(HEADS))
    wounded.push(await wound(name, statement, await createChain(server)));
  wounded[0]?.faults.push(...(await untilShown(server, wounded.length)));
  for (const one of wounded.filter(isHeld)) for (let i = 0; i < 4; i++) await submit(one);
  await killServer(server);
  await server.start();
  for (const one of wounded.filter(isHeld)) await submit(one);
  for (const one of wounded) await repair(one);
  for (const one of wounded) await submit(one);
  for (const one of wounded) await examine(one);
  return wounded;
}

/**
 * C6: a head deleted, lowered or altered during writes: nothing is refused or lost, even by kill -9 of the server; the
 * verdict is broken until the head is rebuilt, and then everything is in the chain. Checkpoints lost with their folder
 * are reported too.
 */
export const lostHeads: Line = {
  id: "C6",
  title: "heads and checkpoints lost, moved or altered while events arrive",
  ...{ quick: 1, full: 10 },
  run: ({ rounds }, found) =>
    withServer(async (server) => {
      const wounded: Wounded[] = [];
      for (let round = 0; round < rounds; round++) wounded.push(...(await losesItsHeads(server)));
      const believed = wounded.filter((one) => one.isBelieved).length;
      found.tried = wounded.reduce((sum, { ids }) => sum + ids.length, 0);
      found.note(
        `${found.tried} events submitted to ${wounded.length} chains without a good head, their server killed once a round`,
      );
      found.faults([...wounded.flatMap((one) => one.faults), ...(await losesItsCheckpoints(server))]);
      found.control(`a judge that looks at no head, which believed ${believed}`, Math.min(1, believed));
    }),
};

/** Number of events missing from the log after half a minute. */
async function untilStored({ server, credentials: { orgId } }: Target, ids: string[]): Promise<number> {
  let missing = ids.length;
  await withOwner(server, (sql) =>
    holdsInTime(async () => {
      const stored = await sql`
        SELECT DISTINCT details ->> 'id' FROM audit_logs WHERE org_id = ${orgId} AND details ->> 'id' = ANY (${ids})`;
      missing = ids.length - stored.length;
      return missing === 0;
    }, PATIENCE),
  );
  return missing;
}

/** Signs a checkpoint now. @returns its last sequence */
async function sign({ server, credentials: { orgId, accessToken: token } }: Target): Promise<number> {
  const path = `/audit-logs/checkpoints?orgId=${orgId}&sign=true`;
  const { data } = await json<{ data: { size: number }[] }>(server, path, { token });
  return data[0]?.size ?? 0;
}

/** A rewritten end, with contradicting checkpoints deleted in the database, the folder, and both. */
async function losesItsCheckpoints(server: Site): Promise<string[]> {
  const CUT = `DELETE FROM audit_logs WHERE org_id = ORG AND chain_seq > 90;
    UPDATE audit_chain_heads h SET seq = 90, checksum = (SELECT checksum FROM audit_logs a WHERE a.org_id = h.org_id AND chain_seq = 90) WHERE org_id = ORG`;
  const NOTES = "DELETE FROM audit_notes WHERE org_id = ORG";
  const cut: { name: string; target: Target; signed: number }[] = [];
  const folders: string[] = [];
  for (const [name, statement, folder] of [
    ["the notes of the database", `${CUT};${NOTES}`, false],
    ["the folder", CUT, true],
    ["both", `${CUT};${NOTES}`, true],
  ] as const) {
    const target = await createChain(server);
    await verdict(target);
    cut.push({ name, target, signed: await sign(target) });
    await tamperBy(target, statement);
    if (folder) folders.push(join(server.dataDir, "checkpoints", target.credentials.orgId));
  }
  await stopServer(server);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  await server.start();
  const faults: string[] = [];
  for (const { name, target, signed } of cut)
    if ((await verdict(target)) === "intact")
      faults.push(`ten entries cut and ${name} of its checkpoints lost: intact, signed through ${signed} before`);
  return faults;
}
