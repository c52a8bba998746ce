import { eventMaker } from "@/bench/events";
import { type Bench, type Figure, figuresOf, inParallel, median, msOf, percentile } from "@/bench/harness";
import { startRecorder } from "@/bench/recorder";
import { repeatedly, until } from "@/bench/until";
import type { World } from "@/bench/world";
import { listFullEntries, searchEntries } from "@/server/audit/entries/list";
import { listInput, searchInput } from "@/server/audit/schema";
import { searchWorker } from "@/server/audit/search/search-worker";
import { createOrg } from "@/testing/factories";

const PRODUCERS = 256;
const POLL_MS = 250;
/** Up to this many rows stay without a segment. */
const KEPT_BACK_ROWS = 128;
const MAX_SEARCH_MS = 250;
const MAX_LAG_MS = 3_000;

/**
 * Row 21: a burst at full speed into one organization with concurrent searches, and the time until the index catches
 * up.
 */
async function run(world: World): Promise<Figure[]> {
  const rows = world.size.full ? 1_000_000 : 100_000;
  const { id: orgId } = await createOrg({ partnerId: world.partnerId });
  const ctx = world.ctxOf(orgId);
  const asks = [
    () => searchEntries.run(ctx, searchInput.parse({ q: "qqxzjw-absent" })),
    () => listFullEntries.run(ctx, listInput.parse({ user: "person7@" })),
  ];
  const askAll = async () => {
    const seen: number[] = [];
    for (const ask of asks) seen.push(await msOf(ask));
    return seen;
  };
  const { recorder } = startRecorder(world, "keep-pace");
  const next = eventMaker(world.random, [orgId]);
  // Indexes the backlog of other rows first.
  await world.index();
  await searchWorker.start();
  let most = 0;
  const during: number[] = [];
  const stopAsking = repeatedly(async () => {
    during.push(...(await askAll()));
    most = Math.max(most, await world.backlog(orgId));
  }, POLL_MS);
  const posted = await msOf(() =>
    inParallel(PRODUCERS, Array.from({ length: rows }), () => recorder.durably([next()])),
  );
  const caughtUp = await msOf(async () => {
    const isIndexed = async () => (await world.backlog(orgId)) < KEPT_BACK_ROWS;
    await until("the index", isIndexed, { ms: Number.POSITIVE_INFINITY, pauseMs: POLL_MS / 5 });
  });
  await stopAsking();
  await Promise.all([searchWorker.stop(), recorder.stop(5_000)]);
  const after: number[] = [];
  for (let round = 0; round < 9; round++) after.push(...(await askAll()));
  const p95 = percentile(during, 0.95);
  const figure = figuresOf("21", "ms");
  const burst = {
    value: caughtUp,
    detail: `${((rows * 1000) / posted).toFixed(0)} rows/s posted; ${most} rows behind at most`,
  };
  const searches = {
    ...{ value: median(during), reference: median(after), holds: p95 <= MAX_SEARCH_MS },
    detail: `${during.length} searches, p95 ${p95.toFixed(0)} ms`,
  };
  return [
    figure(`index caught up after ${rows} rows posted at full speed`, burst, { max: MAX_LAG_MS }),
    figure("searches meanwhile, against the same once caught up", searches, { max: 5 }),
  ];
}

export const keepPaceBench: Bench = { rows: ["21"], title: "search keeps pace", run };
