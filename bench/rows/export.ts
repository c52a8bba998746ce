import { type Bench, type Figure, figuresOf } from "@/bench/harness";
import { inChild } from "@/bench/spawn";
import type { World } from "@/bench/world";

const MAX_GROWTH_MB = 30;

/** Row 15: a CSV of 10,000 rows. */
async function run(world: World): Promise<Figure[]> {
  const orgId = await world.history();
  type Seen = { csv: number; select: number; lines: number; growthMb: number };
  const { csv, select, lines, growthMb } = await inChild<Seen>("export-csv", orgId, world.size.full ? 9 : 7);
  const seen = {
    ...{ value: csv, reference: select, holds: growthMb < MAX_GROWTH_MB && lines === 10_001 },
    detail: `memory grows by ${growthMb.toFixed(0)} MB`,
  };
  return [figuresOf("15", "ms")(`CSV export of ${lines - 1} rows`, seen, { max: 2 })];
}

export const exportBench: Bench = { rows: ["15"], title: "export", run };
