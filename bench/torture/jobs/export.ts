import { createHash } from "node:crypto";
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, signIn } from "@/bench/torture/api";
import { type Site, withServer } from "@/bench/torture/folder";
import type { Line } from "@/bench/torture/line";
import { until } from "@/bench/until";
import type { Server } from "@/testing/server";
import { chainOf, createFilled, KILLS, killOne, ONE_KILL } from "./organization";

const ROWS = 10_000;
/** An export is attempted five times at most (server/exports/schema.ts). */
const KILLS_EACH = 3;

type Job = { id: string; status: string; totalRows: number | null; sha256: string | null; error: string | null };

/** A request about the exports, by the administrator; any answer. */
const asked = async (server: Server, path: string, sent: Parameters<typeof ask>[2] = {}): Promise<Response> =>
  ask(server, `/audit-logs/exports${path}`, { ...sent, token: await signIn(server) });

async function jobOf(server: Server, id: string): Promise<Job> {
  const answer = await asked(server, `/${id}`);
  return answer.ok ? answer.json() : { id, status: `${answer.status}`, totalRows: null, sha256: null, error: null };
}

/** Compares a finished job's file with the log: every entry once, and the job's digest. */
async function faultsOf(server: Server, job: Job, rows: number): Promise<string[]> {
  if (job.status !== "done") return [`it ended as ${job.status}: ${job.error}`];
  const answer = await asked(server, `/${job.id}/file`);
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

/** One export under kills. @returns the finished job */
async function exportUnderFire(
  server: Site,
  orgId: string,
  { kills, random }: { kills: number; random: () => number },
): Promise<Job> {
  const created = await asked(server, "", { body: { orgId, format: "ndjson" } });
  const { id }: Job = await created.json();
  for (let at = 0; at < kills; at++) {
    await sleep(random() * 400);
    await killOne(server, at);
    const { status } = await jobOf(server, id);
    const early = status === "done" ? null : await asked(server, `/${id}/file`);
    if (early?.ok && (await jobOf(server, id)).status !== "done") throw new Error("a part of a file was given out");
  }
  let job = await jobOf(server, id);
  await until("the export", async () => {
    job = await jobOf(server, id);
    return job.status === "done" || job.status === "failed";
  });
  return job;
}

/** K3, export: a complete file, or none. */
export const exportKills: Line = {
  id: "K3-export",
  title: "kill -9 of the server or PostgreSQL during an export",
  ...KILLS,
  control: { title: "an extra line in the file must be detected", ...ONE_KILL },
  run: ({ rounds, random, progress, isBroken }, found) =>
    withServer(async (server) => {
      const { orgId } = await createFilled(server, ROWS);
      const folder = join(server.dataDir, "exports");
      while (found.tried < rounds) {
        progress(`kill ${found.tried + 1}`);
        const { rows } = await chainOf(server, orgId);
        const kills = Math.min(KILLS_EACH, rounds - found.tried);
        found.tried += kills;
        const job = await exportUnderFire(server, orgId, { kills, random });
        const [file] = readdirSync(folder).filter((name) => name.startsWith(job.id));
        if (isBroken && file) appendFileSync(join(folder, file), "{}\n");
        found.faults(await faultsOf(server, job, rows));
        await asked(server, `/${job.id}`, { method: "DELETE" });
        await until("the export's own entry", async () => (await chainOf(server, orgId)).rows > rows);
      }
      found.note(`${rounds} kills, ${ROWS} entries a file`);
    }),
};
