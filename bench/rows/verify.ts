import { createWriteStream } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Bench, type Figure, figuresOf } from "@/bench/harness";
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
  const memory = `${server.maxRssMb.toFixed(0)} MB resident at most`;
  const holds = server.maxRssMb < MAX_MEMORY_MB;
  const alone = {
    ...{ value: server.verify, reference: server.copy, holds },
    detail: `${memory}; its own COPY drained ${Math.round(server.own)} rows/s`,
  };
  const divided = {
    ...{ value: server.divided, reference: server.verify, holds },
    detail: `${memory}; ${availableParallelism()} cores, which the database's processes share`,
  };
  const [onServer, offline] = [figuresOf("7", "rows/s"), figuresOf("8", "rows/s")];
  const hashed = { value: bundle.verify, reference: bundle.hash };
  return [
    onServer(`verification on the server, ${server.rows} rows, one thread`, alone, { min: 1.1 }),
    onServer(`verification on ${server.threads} threads, against one`, divided, { min: 1.25 }),
    offline(`offline verifier, bundle of ${bundle.rows} rows`, hashed, { min: 0.45 }),
  ];
}

export const verifyBench: Bench = { rows: ["7", "8"], title: "verification", run };
