import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { killServer, type Server } from "@/testing/server";
import { byAdmin, prepare, signIn } from "./api";
import { untilWritten } from "./compare";
import { type Site, withOwner, withServer } from "./folder";
import type { Line } from "./line";

const ROWS = 20_000;
const TIMEOUT_MS = 60_000;

type Result = { result: { data: ImportState } };

/** The wizard's procedures over the wire, as the administrator. */
const get = async (server: Server, id: string): Promise<ImportState> => {
  const input = encodeURIComponent(JSON.stringify({ id }));
  return (await byAdmin<Result>(server, `/api/trpc/imports.get?input=${input}`)).result.data;
};
const mutate = async (server: Server, verb: string, input: object): Promise<ImportState> =>
  (await byAdmin<Result>(server, `/api/trpc/imports.${verb}`, { body: input })).result.data;

const createDevices = (server: Server, orgId: string, prefix: string) =>
  withOwner(
    server,
    (sql) => sql`
      INSERT INTO devices (org_id, hostname, os)
      SELECT ${orgId}::uuid, ${prefix} || n, 'windows' FROM generate_series(1, ${ROWS}::int) n`,
  );

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
  const headers = { Authorization: `Bearer ${await signIn(server)}`, "Content-Type": "application/octet-stream" };
  const answer = await fetch(`${server.base}/api/v1/custom-fields/imports/upload?${query}`, {
    method: "POST",
    headers,
    body,
  });
  if (!answer.ok) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
  return id;
}

type Battle = { server: Site; id: string; kills: number; afterKill: (server: Site, id: string) => Promise<unknown> };

/** Starts the import's work, kills the server repeatedly, and waits until the work is done. */
async function survive(battle: Battle, job: string, { kills, random }: { kills: number; random: () => number }) {
  const { server, id } = battle;
  await mutate(server, job, { id });
  for (let i = 0; i < kills; i++) {
    await sleep(60 + random() * 500);
    await killServer(server);
    battle.kills++;
    await server.start();
    await battle.afterKill(server, id);
  }
  // A progressing job is not hung.
  let [deadline, seen] = [Date.now() + TIMEOUT_MS, -1];
  for (;;) {
    const state = await get(server, id);
    if (!state.job) return state;
    if (state.job.done !== seen) [deadline, seen] = [Date.now() + TIMEOUT_MS, state.job.done];
    if (Date.now() > deadline) throw new Error(`${job} has not ended`);
    await sleep(100);
  }
}

type Counted = { devices: number; values: number; changes: number; events: number; source_ids: number };

async function count(server: Server, orgId: string, id: string): Promise<Counted> {
  await untilWritten(server);
  await sleep(1_000);
  return withOwner(server, async (sql) => {
    const [row] = await sql<Counted[]>`
    SELECT
      (SELECT count(*)::int FROM custom_field_values WHERE org_id = ${orgId} AND "values" <> '{}') AS devices,
      (SELECT count(*)::int FROM custom_field_values v, jsonb_object_keys(v."values") k WHERE v.org_id = ${orgId}) AS values,
      (SELECT count(*)::int FROM custom_field_import_changes WHERE import_id = ${id}) AS changes,
      (SELECT count(*)::int FROM device_source_ids WHERE org_id = ${orgId}) AS source_ids,
      (SELECT count(*)::int FROM audit_logs WHERE org_id = ${orgId} AND action = 'device.custom_fields.update') AS events`;
    if (!row) throw new Error("no counts");
    return row;
  });
}

function faultsOf(what: string, found: Counted, expected: Counted): string[] {
  const faults: string[] = [];
  let key: keyof Counted;
  for (key in expected)
    if (found[key] !== expected[key]) faults.push(`${what}: ${key} ${found[key]} instead of ${expected[key]}`);
  return faults;
}

/** Sets a run's progress mark ahead of its rows. */
const runAhead = (server: Server, id: string) =>
  withOwner(
    server,
    (sql) => sql`
      UPDATE custom_field_imports SET job_done = least(job_done + ${ROWS / 10}::int, ${ROWS}::int)
      WHERE id = ${id} AND job = 'apply'`,
  );

/** K3, import: kill -9 while a file is read, checked, applied and undone; all or nothing, and nothing twice. */
export const importKills: Line = {
  id: "K3-import",
  title: "kill -9 of the server during an import and its undo",
  ...{ quick: 5, full: 20 },
  control: { title: "a progress mark outside the transaction must lose values", quick: 5, full: 20, slow: true },
  run: ({ rounds, random, isBroken }, found) =>
    withServer(async (server) => {
      const { orgId } = await prepare(server);
      const prefix = `K${randomUUID().slice(0, 6)}`;
      await createDevices(server, orgId, prefix);
      const id = await upload(server, prefix);
      const battle: Battle = { server, id, kills: 0, afterKill: isBroken ? runAhead : async () => {} };
      const kills = Math.max(1, Math.round(rounds / 5));
      await survive(battle, "stage", { kills, random });
      const checked = await survive(battle, "check", { kills, random });
      if (checked.summary.check?.rows.matched_hostname !== ROWS) found.fault("the check did not match every row");
      const done = await survive(battle, "run", { kills: 2 * kills, random });
      if (done.summary.run?.devices !== ROWS) found.fault(`the report counts ${done.summary.run?.devices} devices`);
      const whole = { devices: ROWS, values: 3 * ROWS, changes: ROWS, events: 1, source_ids: ROWS };
      const afterRun = faultsOf("after the run", await count(server, orgId, id), whole);
      const undone = await survive(battle, "undo", { kills, random });
      const restored = undone.summary.undo?.restored;
      if (restored !== 3 * ROWS) found.fault(`the undo counts ${restored} values`);
      const nothing = { devices: 0, values: 0, changes: ROWS, events: 2, source_ids: 0 };
      found.faults([...afterRun, ...faultsOf("after the undo", await count(server, orgId, id), nothing)]);
      found.tried = battle.kills;
      found.caught = afterRun.filter((fault) => fault.startsWith("after the run: values")).length;
      found.note(`${battle.kills} kills over ${ROWS} rows and ${3 * ROWS} values`);
    }),
};
