import { type Bench, type Figure, figuresOf, interleave } from "@/bench/harness";
import { p99While } from "@/bench/plain";
import type { World } from "@/bench/world";
import { verifyNightly } from "@/server/evidence/integrity/nightly";
import { runRetention } from "@/server/retention/run";

const WRITERS = 8;
const QUIET_MS = 1_000;
const EXPIRED = { from: new Date(Date.UTC(2024, 0, 1)), to: new Date(Date.UTC(2025, 0, 1)) };

async function prune(orgId: string, rows: number): Promise<number> {
  const run = await runRetention({ orgIds: [orgId] });
  if (run.rows < rows)
    throw new Error(`pruned ${run.rows} of ${rows} rows: ${run.organizations[0]?.error ?? run.status}`);
  return (run.rows * 1000) / run.ms;
}

/** Row 16: retention of rows that the night has proven, alone, and beside eight writers. */
async function run(world: World): Promise<Figure[]> {
  const rounds = world.size.full ? 3 : 2;
  const targets: string[] = [];
  const rows = Math.ceil((world.size.full ? 1_000_000 : 100_000) / (2 * rounds));
  for (let i = 0; i < 2 * rounds; i++) targets.push(await world.filled(rows, EXPIRED));
  // As every night an hour before retention; the first one reads a chain whole.
  for (const orgId of targets) await verifyNightly(orgId);
  await world.owner`VACUUM ANALYZE audit_logs`;
  let refused = 0;
  const left = targets.values();
  const takeTarget = () => left.next().value ?? "";
  const others = world.orgIds.slice(1, WRITERS);
  const [writer = ""] = others;
  const writersWhile = async (orgId: string, work: () => Promise<unknown>) => {
    const seen = await p99While({ world, orgIds: [orgId, ...others], writers: WRITERS }, work);
    refused += seen.refused;
    return seen.p99;
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  const seen = await interleave(
    rounds,
    {
      alone: () => prune(takeTarget(), rows),
      quiet: () => writersWhile(writer, pause),
      pruning: () => {
        const target = takeTarget();
        return writersWhile(target, () => prune(target, rows));
      },
    },
    { warm: false },
  );
  const p99 = { value: seen.pruning, reference: seen.quiet, holds: refused === 0, detail: `${refused} refused` };
  return [
    figuresOf("16", "rows/s")(`pruning ${rows * targets.length} rows, alone`, { value: seen.alone }, { min: 250_000 }),
    figuresOf("16", "ms")("p99 of 8 writers while pruning", p99, { max: 2.5 }),
  ];
}

export const pruneBench: Bench = { rows: ["16"], title: "pruning", run };
