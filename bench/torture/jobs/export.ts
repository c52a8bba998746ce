import { createHash } from "node:crypto";
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startShared } from "@/bench/torture/folder";
import { signIn } from "@/bench/torture/load";
import type { LineInput } from "@/bench/torture/types";
import { killPostgres, killServer, type Server, stopServer } from "@/testing/server";
import { type Fight, killedJob } from "./fight";
import { chainOf, createFilled, until, untilReady } from "./organization";

const ROWS = 10_000;
/** An export is attempted five times at most (server/exports/schema.ts). */
const KILLS_EACH = 3;

type Job = { id: string; status: string; totalRows: number | null; sha256: string | null; error: string | null };

type Asked = { method?: string; body?: object };

async function ask(server: Server, path: string, { method = "GET", body }: Asked = {}): Promise<Response> {
  return fetch(`${server.base}/api/v1/audit-logs/exports${path}`, {
    method,
    headers: { Authorization: `Bearer ${await signIn(server.base)}`, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function jobOf(server: Server, id: string): Promise<Job> {
  const answer = await ask(server, `/${id}`);
  return answer.ok ? answer.json() : { id, status: `${answer.status}`, totalRows: null, sha256: null, error: null };
}

/** Compares a finished job's file with the log: every entry once, and the job's digest. */
async function faultsOf(server: Server, job: Job, rows: number): Promise<string[]> {
  if (job.status !== "done") return [`it ended as ${job.status}: ${job.error}`];
  const answer = await ask(server, `/${job.id}/file`);
  if (!answer.ok) return [`the file of a job that is done: ${answer.status} ${await answer.text()}`];
  const bytes = Buffer.from(await answer.arrayBuffer());
  const faults: string[] = [];
  if (createHash("sha256").update(bytes).digest("hex") !== job.sha256) faults.push("the file has another digest");
  const lines = bytes.toString("utf8").split("\n").filter(Boolean);
  const ids = new Set(lines.map((line) => line.slice(0, 60)));
  if (lines.length !== rows || ids.size !== rows || job.totalRows !== rows)
    faults.push(
      `${lines.length} lines, ${ids.size} of them different, of ${rows} entries; the job says ${job.totalRows}`,
    );
  const kept = readdirSync(join(server.dataDir, "exports")).filter((name) => name.startsWith(job.id));
  if (kept.length !== 1) faults.push(`${kept.length} files of one export`);
  return faults;
}

type Battle = { server: Server; kills: number };

/** One export under kills. @returns the finished job */
async function exportUnderFire(
  battle: Battle,
  orgId: string,
  { kills, random }: { kills: number; random: () => number },
) {
  const created = await ask(battle.server, "", { method: "POST", body: { orgId, format: "ndjson" } });
  const { id }: Job = await created.json();
  for (let at = 0; at < kills; at++) {
    await sleep(random() * 400);
    battle.kills++;
    if (at % 3 === 2) {
      await killPostgres(battle.server.dataDir);
      await untilReady(battle.server);
    } else {
      await killServer(battle.server);
      battle.server = await startShared();
    }
    const { status } = await jobOf(battle.server, id);
    const early = status === "done" ? null : await ask(battle.server, `/${id}/file`);
    if (early?.ok && (await jobOf(battle.server, id)).status !== "done")
      throw new Error("a part of a file was given out");
  }
  let job = await jobOf(battle.server, id);
  await until("the export", async () => {
    job = await jobOf(battle.server, id);
    return job.status === "done" || job.status === "failed";
  });
  return job;
}

/** K3, export: a complete file, or none. */
async function fight({ rounds, random, progress }: LineInput, damage: boolean): Promise<Fight> {
  const battle: Battle = { server: await startShared(), kills: 0 };
  try {
    const { orgId } = await createFilled(battle.server, ROWS);
    const faults: string[] = [];
    while (battle.kills < rounds) {
      progress(`kill ${battle.kills + 1}`);
      const { rows } = await chainOf(battle.server, orgId);
      const kills = Math.min(KILLS_EACH, rounds - battle.kills);
      const job = await exportUnderFire(battle, orgId, { kills, random });
      const [file] = readdirSync(join(battle.server.dataDir, "exports")).filter((name) => name.startsWith(job.id));
      if (damage && file) appendFileSync(join(battle.server.dataDir, "exports", file), "{}\n");
      faults.push(...(await faultsOf(battle.server, job, rows)));
      await ask(battle.server, `/${job.id}`, { method: "DELETE" });
      await until("the export's own entry", async () => (await chainOf(battle.server, orgId)).rows > rows);
    }
    return { kills: battle.kills, faults, summary: `${ROWS} entries a file` };
  } finally {
    await stopServer(battle.server);
  }
}

export const exportLines = killedJob({
  id: "K3-export",
  title: "kill -9 of the server or PostgreSQL during an export",
  damage: "an extra line in the file",
  run: fight,
});
