import { eq } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { asSystem } from "@/db/client";
import { auditLogs } from "@/db/schema";
import { bundled } from "@/testing/bundled";
import { createOrg } from "@/testing/factories";
import { startNode } from "@/testing/program";
import { tempFolder } from "@/testing/temp-folder";
import { flushRecording, recordingStats, startRecording, stopRecording } from "./record";

/** A server's worth of recording in its own process; it writes the id of every acknowledged event and dies. */
const VICTIM = `
import { writeSync } from "node:fs";
import { WRITE_TIMES } from "@/server/audit/record/pending-write";
import { recordDurably, startRecording } from "@/server/audit/record/record";
import { toRow } from "@/server/audit/record/to-row";
import { newId } from "@/server/ground/ids";
const [dir, orgId, enough] = process.argv.slice(2);
await startRecording({ dir, times: { ...WRITE_TIMES, giveUp: 60_000 } });
let acknowledged = 0;
const produce = async () => {
  for (;;) {
    const rows = Array.from({ length: 5 }, () =>
      toRow({ id: newId(), orgId, timestamp: new Date(), actorType: "system", actorId: null, action: "a", resourceType: "b", result: "success" }));
    await recordDurably(rows);
    writeSync(1, rows.map((r) => r.id + "\\n").join(""));
    acknowledged += rows.length;
    if (acknowledged >= Number(enough)) process.kill(process.pid, "SIGKILL");
  }
};
await Promise.all(Array.from({ length: 40 }, produce));
`;

const victim = bundled(VICTIM);
let dir: string;
beforeEach(() => {
  dir = tempFolder();
});
afterAll(stopRecording);

/** Runs the victim until it kills itself; the ids that it had acknowledged. */
async function runVictim(orgId: string, enough: number, more: Record<string, string> = {}): Promise<string[]> {
  const env = { ...process.env, ...more };
  const { signal, out, err } = await startNode([victim, dir, orgId, String(enough)], { env }).ended;
  if (signal !== "SIGKILL") throw new Error(`ended by ${signal}: ${err}`);
  return out.trim().split("\n");
}

async function replay(orgId: string): Promise<string[]> {
  await startRecording({ dir });
  await flushRecording(60_000);
  expect(recordingStats()).toMatchObject({ queued: 0, spoolBytes: 0, dropped: 0 });
  await stopRecording();
  const rows = await asSystem((tx) =>
    tx.select({ id: auditLogs.id }).from(auditLogs).where(eq(auditLogs.orgId, orgId)),
  );
  return rows.map((row) => row.id);
}

test("a server killed during 500 events keeps each acknowledged event exactly once", async () => {
  for (let round = 0; round < 3; round++) {
    const { id: orgId } = await createOrg();
    const acknowledged = await runVictim(orgId, 500);
    const stored = await replay(orgId);
    expect(acknowledged.length).toBeGreaterThanOrEqual(500);
    expect(new Set(stored).size).toBe(stored.length);
    expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
  }
});

test("a server killed during a database outage loses no acknowledged event", async () => {
  const { id: orgId } = await createOrg();
  const acknowledged = await runVictim(orgId, 500, { DATABASE_URL: "postgres://trailmark_app:x@127.0.0.1:1/none" });
  const stored = await replay(orgId);
  expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
});
