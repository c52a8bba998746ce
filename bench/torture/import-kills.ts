import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { killServer, type Server, stopServer } from "@/testing/server";
import { untilWritten } from "./compare";
import { ownerOf, startShared } from "./folder";
import { answerOf, prepare, signIn } from "./load";
import type { Line, LineInput } from "./types";

const ROWS = 20_000;
const TIMEOUT_MS = 60_000;

type Call = { kind: "query" | "mutation"; name: string; input: object };

/** The wizard's procedures over the wire, as the administrator. */
async function procedure<T>(server: Server, { kind, name, input }: Call): Promise<T> {
  const token = await signIn(server.base);
  const url = `${server.base}/api/trpc/${name}`;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const answer =
    kind === "query"
      ? await answerOf(() => fetch(`${url}?input=${encodeURIComponent(JSON.stringify(input))}`, { headers }))
      : await fetch(url, { method: "POST", headers, body: JSON.stringify(input) });
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
  const { result }: { result: { data: T } } = await answer.json();
  return result.data;
}

const get = (server: Server, id: string) =>
  procedure<ImportState>(server, { kind: "query", name: "imports.get", input: { id } });
const mutate = (server: Server, verb: string, input: object) =>
  procedure<ImportState>(server, { kind: "mutation", name: `imports.${verb}`, input });

async function createDevices(server: Server, orgId: string, prefix: string): Promise<void> {
  const sql = ownerOf(server);
  await sql`
    WITH scope AS MATERIALIZED (SELECT set_config('trailmark.scope', 'system', false))
    INSERT INTO devices (org_id, hostname, os) SELECT ${orgId}::uuid, ${prefix} || n, 'windows' FROM scope, generate_series(1, ${ROWS}::int) n`;
  await sql.end();
}

async function upload(server: Server, prefix: string): Promise<string> {
  const { id } = await mutate(server, "create", { source: "automate" });
  const lines = Array.from(
    { length: ROWS },
    (_, i) => `${prefix}${i + 1},${prefix}${i + 1},tag ${i + 1},${i % 2},note ${i % 50}`,
  );
  const body = `Computer ID,Computer Name,${prefix} Tag,${prefix} On,${prefix} Note\n${lines.join("\n")}\n`;
  const query = new URLSearchParams({
    importId: id,
    fileNo: "0",
    name: "torture.csv",
    offset: "0",
    size: String(body.length),
  });
  const headers = { Authorization: `Bearer ${await signIn(server.base)}`, "Content-Type": "application/octet-stream" };
  const answer = await fetch(`${server.base}/api/v1/custom-fields/imports/upload?${query}`, {
    method: "POST",
    headers,
    body,
  });
  if (!answer.ok) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
  return id;
}

type AfterKill = (server: Server, id: string) => Promise<void>;
type Battle = { server: Server; id: string; kills: number; afterKill: AfterKill; random: () => number };

/** Starts the import's work, kills the server repeatedly, and waits until the work is done. */
async function survive(battle: Battle, job: string, kills: number): Promise<ImportState> {
  const { id, random } = battle;
  await mutate(battle.server, job, { id });
  for (let i = 0; i < kills; i++) {
    await sleep(60 + random() * 500);
    await killServer(battle.server);
    battle.kills++;
    battle.server = await startShared();
    await battle.afterKill(battle.server, id);
  }
  // A progressing job is not hung.
  let [deadline, seen] = [Date.now() + TIMEOUT_MS, -1];
  for (;;) {
    const state = await get(battle.server, id);
    if (!state.job) return state;
    if (state.job.done !== seen) [deadline, seen] = [Date.now() + TIMEOUT_MS, state.job.done];
    if (Date.now() > deadline) throw new Error(`${job} has not ended`);
    await sleep(100);
  }
}

type Found = { devices: number; values: number; changes: number; events: number; source_ids: number };

async function count(server: Server, orgId: string, id: string): Promise<Found> {
  const sql = ownerOf(server);
  await sql`SELECT set_config('trailmark.scope', 'system', false)`;
  await untilWritten(server.base);
  await sleep(1_000);
  const [row] = await sql<Found[]>`
    SELECT
      (SELECT count(*)::int FROM custom_field_values WHERE org_id = ${orgId} AND "values" <> '{}') AS devices,
      (SELECT count(*)::int FROM custom_field_values v, jsonb_object_keys(v."values") k WHERE v.org_id = ${orgId}) AS values,
      (SELECT count(*)::int FROM custom_field_import_changes WHERE import_id = ${id}) AS changes,
      (SELECT count(*)::int FROM device_source_ids WHERE org_id = ${orgId}) AS source_ids,
      (SELECT count(*)::int FROM audit_logs WHERE org_id = ${orgId} AND action = 'device.custom_fields.update') AS events`;
  await sql.end();
  if (!row) throw new Error("no counts");
  return row;
}

function faultsOf(what: string, found: Found, expected: Found): string[] {
  const faults: string[] = [];
  let key: keyof Found;
  for (key in expected)
    if (found[key] !== expected[key]) faults.push(`${what}: ${key} ${found[key]} instead of ${expected[key]}`);
  return faults;
}

type Fight = { kills: number; faults: string[] };

/** Runs an import and its undo under kills, and compares with an undisturbed run. */
async function fight({ rounds, random }: LineInput, afterKill: AfterKill = async () => {}): Promise<Fight> {
  const server = await startShared();
  const { orgId } = await prepare(server.base);
  const prefix = `K${randomUUID().slice(0, 6)}`;
  await createDevices(server, orgId, prefix);
  const id = await upload(server, prefix);
  const battle: Battle = { server, id, kills: 0, afterKill, random };
  const share = Math.max(1, Math.round(rounds / 5));
  const faults: string[] = [];
  await survive(battle, "stage", share);
  const checked = await survive(battle, "check", share);
  if (checked.summary.check?.rows.matched_hostname !== ROWS) faults.push("the check did not match every row");
  const done = await survive(battle, "run", 2 * share);
  if (done.summary.run?.devices !== ROWS) faults.push(`the report counts ${done.summary.run?.devices} devices`);
  const whole = { devices: ROWS, values: 3 * ROWS, changes: ROWS, events: 1, source_ids: ROWS };
  faults.push(...faultsOf("after the run", await count(battle.server, orgId, id), whole));
  const undone = await survive(battle, "undo", share);
  if (undone.summary.undo?.restored !== 3 * ROWS)
    faults.push(`the undo counts ${undone.summary.undo?.restored} values`);
  const nothing = { devices: 0, values: 0, changes: ROWS, events: 2, source_ids: 0 };
  faults.push(...faultsOf("after the undo", await count(battle.server, orgId, id), nothing));
  await stopServer(battle.server);
  return { kills: battle.kills, faults };
}

const summaryOf = ({ kills, faults }: Fight): string =>
  [`${kills} kills over ${ROWS} rows and ${3 * ROWS} values`, ...faults].join("; ");

/** K3, import: kill -9 while a file is read, checked, applied and undone; all or nothing, and nothing twice. */
export const importKillLine: Line = {
  id: "K3-import",
  title: "kill -9 of the server during an import and its undo",
  run: async (input) => {
    const found = await fight(input);
    return { tried: found.kills, failed: found.faults.length, detail: summaryOf(found) };
  },
};

/** Sets a run's progress mark ahead of its rows. */
async function runAhead(server: Server, id: string): Promise<void> {
  const sql = ownerOf(server);
  await sql`SELECT set_config('trailmark.scope', 'system', false)`;
  await sql`UPDATE custom_field_imports SET job_done = least(job_done + ${ROWS / 10}::int, ${ROWS}::int) WHERE id = ${id} AND job = 'apply'`;
  await sql.end();
}

/** The control: a mark ahead of the work after a kill must be caught losing rows. */
export const importMarkLine: Line = {
  id: "K3-import-control",
  title: "control: a progress mark outside the transaction must lose values",
  run: async (input) => {
    const found = await fight(input, runAhead);
    const lost = found.faults.filter((fault) => fault.startsWith("after the run: values"));
    return { tried: found.kills, failed: lost.length > 0 ? 0 : 1, detail: summaryOf(found) };
  },
};
