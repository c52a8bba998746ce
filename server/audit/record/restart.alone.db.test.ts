import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Embedded, startEmbedded } from "@/db/embedded/embedded";
import { migrate } from "@/db/migrate";
import { newId } from "@/server/ground/ids";
import { anyRow } from "@/testing/audit-entries";
import { quickest } from "@/testing/quickest";
import { tempFolder } from "@/testing/temp-folder";
import { writerConnection } from "./append";
import { Recorder } from "./recorder";

const folder = tempFolder();
let database: Embedded;
beforeAll(async () => {
  chmodSync(folder, 0o711);
  database = await startEmbedded(join(folder, "data"));
  await migrate(database);
});
afterAll(async () => {
  await database.stop();
  for (const path of [database.cluster, folder]) rmSync(path, { recursive: true, force: true });
});

/** Whether PostgreSQL runs again, in another process than the one that was killed. */
function isBack(killed: number): boolean {
  try {
    return database.pid() !== killed && process.kill(database.pid(), 0);
  } catch {
    return false;
  }
}

test("recording resumes without lost or duplicate events after PostgreSQL is killed", async () => {
  expect(await quickest(3_000, killUnderLoad)).toBeLessThan(3_000);
});

/** How long the slowest write took (ms). */
async function killUnderLoad(): Promise<number> {
  const recorder = new Recorder(writerConnection(() => database.appUrl));
  const orgId = newId();
  recorder.start(join(folder, orgId));
  const acknowledged: string[] = [];
  let running = true;
  let slowest = 0;
  const produce = async () => {
    while (running) {
      const row = anyRow({ orgId, timestamp: new Date() });
      const began = Date.now();
      await recorder.durably([row]);
      slowest = Math.max(slowest, Date.now() - began);
      acknowledged.push(row.id);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const producers = Array.from({ length: 20 }, produce);
  for (let round = 0; round < 2; round++) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    const killed = database.pid();
    process.kill(killed, "SIGKILL");
    await vi.waitUntil(() => isBack(killed), { timeout: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  running = false;
  await Promise.all(producers);
  await recorder.flush(60_000);
  expect(recorder.stats()).toMatchObject({ queued: 0, dropped: 0, deadLettered: 0 });
  await recorder.stop(1000);

  const sql = postgres(database.ownerUrl, { max: 1 });
  const rows = await sql<{ id: string; seq: string }[]>`
    SELECT id, chain_seq::text AS seq FROM audit_logs WHERE org_id = ${orgId} ORDER BY audit_logs.chain_seq`;
  await sql.end();
  expect(rows.map((r) => Number(r.seq))).toEqual(rows.map((_, i) => i + 1));
  const stored = new Set(rows.map((r) => r.id));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  expect(stored.size).toBe(acknowledged.length);
  return slowest;
}
