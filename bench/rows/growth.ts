import { eventMaker } from "@/bench/events";
import { fillAudit } from "@/bench/fill";
import { type Bench, type Figure, figuresOf, interleave, medianMsOf, rateWithin } from "@/bench/harness";
import { startRecorder } from "@/bench/recorder";
import type { World } from "@/bench/world";
import { migrate } from "@/db/migrate";
import { listFullEntries, searchEntries } from "@/server/audit/entries/list";
import { listInput, searchInput } from "@/server/audit/schema";
import { cursorAt } from "./place";

const PRODUCERS = 256;
const CALLS = 15;

/** A second database of the cluster with a twentieth of the rows. */
async function smallDatabase(world: World, rows: number): Promise<{ url: string; orgId: string }> {
  const name = "trailmark_small";
  const there = (url: string) => url.replace(/\/trailmark$/, `/${name}`);
  const { ownerUrl, appUrl, adminUrl } = world.embedded;
  await world.owner.unsafe(`CREATE DATABASE ${name}`);
  await migrate({ ownerUrl: there(ownerUrl), appUrl: there(appUrl), adminUrl: there(adminUrl) });
  const [orgId = ""] = world.orgIds;
  await fillAudit(world.connect(1, there(appUrl)), { orgId, rows });
  const owner = world.connect(1, there(ownerUrl));
  await owner`VACUUM ANALYZE`;
  return { url: there(appUrl), orgId };
}

async function ingest(world: World, rows: number): Promise<{ few: number; many: number }> {
  const small = await smallDatabase(world, rows);
  const next = eventMaker(world.random, [small.orgId]);
  const ms = world.size.full ? 2_000 : 700;
  const many = startRecorder(world, "many").recorder;
  const few = startRecorder(world, "few", small.url).recorder;
  const write = (recorder: typeof many) => () => rateWithin(ms, PRODUCERS, () => recorder.durably([next()]));
  const rates = await interleave(world.size.full ? 7 : 4, { few: write(few), many: write(many) });
  await Promise.all([few.stop(5_000), many.stop(5_000)]);
  return rates;
}

/** Row 18: the same work at a twentieth of the history and at the full history. */
async function run(world: World): Promise<Figure[]> {
  const big = await world.history();
  const rows = world.size.rows / 20;
  const small = await world.filled(rows);
  await world.index();
  await world.owner`VACUUM ANALYZE`;
  const about = (orgId: string, depth: number) => async () => {
    const ctx = world.ctxOf(orgId);
    const cursor = await cursorAt(world, orgId, depth);
    return {
      first: () => medianMsOf(CALLS, () => listFullEntries.run(ctx, listInput.parse({}))),
      deep: () => medianMsOf(CALLS, () => listFullEntries.run(ctx, listInput.parse({ skipCount: true, cursor }))),
      search: () => medianMsOf(CALLS, () => searchEntries.run(ctx, searchInput.parse({ q: "qqxzjw-absent" }))),
    };
  };
  const few = await about(small, rows / 2)();
  const many = await about(big, world.size.rows / 2)();
  const seen = await interleave(world.size.full ? 9 : 5, {
    few9: few.first,
    many9: many.first,
    few10: few.deep,
    many10: many.deep,
    few12: few.search,
    many12: many.search,
  });
  const rates = await ingest(world, rows);
  const figure = figuresOf("18", "ms");
  const line = (name: string, value: number, reference: number) =>
    figure(`growth: ${name}, ${world.size.rows} rows against ${rows}`, { value, reference }, { max: 1.2 });
  return [
    line("sealed ingest, 1,000 rows", 1e6 / rates.many, 1e6 / rates.few),
    line("first page with total", seen.many9, seen.few9),
    line("page by cursor", seen.many10, seen.few10),
    line("search for an absent term", seen.many12, seen.few12),
  ];
}

export const growthBench: Bench = { rows: ["18"], title: "growth", run };
