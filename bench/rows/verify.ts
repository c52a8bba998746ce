import { createWriteStream } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Bench, type Figure, figure } from "@/bench/harness";
import { inChild } from "@/bench/spawn";
import type { World } from "@/bench/world";
import { flushRecording, startRecording } from "@/server/audit/record/record";
import { exportEvidence } from "@/server/evidence/export/export";

const MAX_MEMORY_MB = 200;
type Rates = { rows: number; verify: number };

async function writeBundle(world: World, orgId: string): Promise<string> {
  const file = join(world.dir, "evidence.ndjson");
  await startRecording({ dir: join(world.dir, "spool-evidence") });
  const answer = await exportEvidence.run(world.ctxOf(orgId), { orgId });
  await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(file));
  await flushRecording();
  return file;
}

/** Rows 7 and 8: verification on the server, and of a bundle offline. */
async function run(world: World): Promise<Figure[]> {
  const orgId = await world.history();
  const rounds = world.size.full ? 2 : 5;
  const server = await inChild<Rates & { copy: number; own: number; divided: number; threads: number }>(
    "verify-chain",
    orgId,
    rounds,
  );
  const bundle = await inChild<Rates & { hash: number }>("verify-bundle", await writeBundle(world, orgId), rounds);
  const memory = (mb: number) => `${mb.toFixed(0)} MB resident at most`;
  const shared = { unit: "rows/s" };
  return [
    figure({
      ...shared,
      row: "7",
      name: `verification on the server, ${server.rows} rows, one thread`,
      value: server.verify,
      reference: server.copy,
      target: { min: 1.1 },
      holds: server.maxRssMb < MAX_MEMORY_MB,
      detail: `${memory(server.maxRssMb)}; its own COPY drained ${Math.round(server.own)} rows/s`,
    }),
    figure({
      ...shared,
      row: "7",
      name: `verification on ${server.threads} threads, against one`,
      value: server.divided,
      reference: server.verify,
      target: { min: 1.25 },
      holds: server.maxRssMb < MAX_MEMORY_MB,
      detail: `${memory(server.maxRssMb)}; ${availableParallelism()} cores, which the database's processes share`,
    }),
    figure({
      ...shared,
      row: "8",
      name: `offline verifier, bundle of ${bundle.rows} rows`,
      value: bundle.verify,
      reference: bundle.hash,
      target: { min: 0.45 },
    }),
  ];
}

export const verifyBench: Bench = { rows: ["7", "8"], title: "verification", run };
