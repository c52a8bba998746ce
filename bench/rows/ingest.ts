import { eventMaker } from "@/bench/events";
import { type Bench, type Figure, figuresOf, inParallel, interleave, rateOf, rateWithin } from "@/bench/harness";
import { createPlain, insertBatch, insertOne } from "@/bench/plain";
import { startRecorder } from "@/bench/recorder";
import type { World } from "@/bench/world";

/** Targets per number of producers, with one organization and with 100. */
const TARGETS = [
  { producers: 256, plain: { 1: 0.65, 100: 0.55 } },
  { producers: 1_024, plain: { 1: 0.7, 100: 0.6 } },
] as const;
/** Targets against single rows, at 256 producers. */
const SINGLE_TARGETS = { 1: 6, 100: 4 } as const;
const SINGLE_CONNECTIONS = 32;
/** Batches in flight, as in the product. */
const UNDER_WAY = 2;

async function ingest(
  world: World,
  { organizations, producers }: { organizations: number; producers: number },
): Promise<{ sealed: number; batches: number; singles: number; cut: number }> {
  const orgIds = world.orgIds.slice(0, organizations);
  const { recorder, batches } = startRecorder(world, `${producers}-${organizations}`);
  const plain = world.connect(1);
  const pool = world.connect(SINGLE_CONNECTIONS);
  const ms = world.size.full ? 2_000 : 700;
  const next = eventMaker(world.random, orgIds);
  let [count, cut] = [0, 0];
  const rates = await interleave(5, {
    sealed: () => {
      batches.length = 0;
      return rateWithin(ms, producers, () => recorder.durably([next()]));
    },
    batches: () => {
      count = batches.reduce((sum, batch) => sum + batch.length, 0);
      cut = batches.length;
      return rateOf(count, () => inParallel(UNDER_WAY, batches, (batch) => insertBatch(plain, batch)));
    },
    singles: () => rateWithin(ms, SINGLE_CONNECTIONS, () => insertOne(pool, "audit_plain", next())),
  });
  await recorder.stop(5_000);
  await Promise.all([plain.end(), pool.end()]);
  return { ...rates, cut: count / cut };
}

const againstBatches = figuresOf("1", "rows/s");
const againstRows = figuresOf("2", "rows/s");

/** Rows 1 and 2. */
async function run(world: World): Promise<Figure[]> {
  await createPlain(world);
  const figures: Figure[] = [];
  for (const { producers, plain } of TARGETS)
    for (const organizations of [1, 100] as const) {
      const { sealed: value, batches, singles, cut } = await ingest(world, { organizations, producers });
      const about = `${producers} producers, ${organizations} organization${organizations > 1 ? "s" : ""}`;
      const batched = { value, reference: batches, detail: `batches of ${cut.toFixed(0)} rows on average` };
      figures.push(
        againstBatches(`sealed ingest against plain batches, ${about}`, batched, { min: plain[organizations] }),
      );
      if (producers > 256) continue;
      const single = { value, reference: singles };
      const target = { min: SINGLE_TARGETS[organizations] };
      figures.push(againstRows(`sealed ingest against plain single rows, ${about}`, single, target));
    }
  return figures;
}

export const ingestBench: Bench = { rows: ["1", "2"], title: "sealed ingest", run };
