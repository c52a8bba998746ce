import { eventMaker } from "@/bench/events";
import { type Bench, type Figure, figuresOf, interleave, rateWithin } from "@/bench/harness";
import { startRecorder } from "@/bench/recorder";
import type { World } from "@/bench/world";
import { searchWorker } from "@/server/audit/search/search-worker";

const PRODUCERS = 256;

/** Row 4: cost of the search indexer for concurrent writers. */
async function run(world: World): Promise<Figure[]> {
  const { recorder } = startRecorder(world, "indexing");
  const next = eventMaker(world.random, world.orgIds.slice(0, 1));
  const ms = world.size.full ? 4_000 : 1_500;
  const write = () => rateWithin(ms, PRODUCERS, () => recorder.durably([next()]));
  const { indexed, alone } = await interleave(world.size.full ? 5 : 4, {
    indexed: async () => {
      await searchWorker.start();
      return write().finally(() => searchWorker.stop());
    },
    alone: write,
  });
  await recorder.stop(5_000);
  const rates = { value: indexed, reference: alone, ratio: alone / indexed };
  return [figuresOf("4", "rows/s")("cost of search indexing on the write path", rates, { max: 1.2 })];
}

export const indexingBench: Bench = { rows: ["4"], title: "search indexing", run };
