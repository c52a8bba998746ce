import { type Bench, type Figure, figure, interleave, medianMsOf } from "@/bench/harness";
import type { World } from "@/bench/world";
import { listFullEntries } from "@/server/audit/entries/list";
import { listInput } from "@/server/audit/schema";
import { cursorAt } from "./place";

const CALLS = 15;

/** Rows 9, 10 and 11: pages of the viewer. */
async function run(world: World): Promise<Figure[]> {
  const big = await world.history();
  const depth = Math.min(1_000_000, world.size.rows / 2);
  const ctx = world.ctxOf(big);
  const cursor = await cursorAt(world, big, depth);
  const page = (input: object) => () => medianMsOf(CALLS, () => listFullEntries.run(ctx, listInput.parse(input)));
  const seen = await interleave(world.size.full ? 15 : 9, {
    total: page({}),
    first: page({ skipCount: true }),
    deep: page({ skipCount: true, cursor }),
    partner: () =>
      medianMsOf(CALLS, () => listFullEntries.run(world.partnerCtx(), listInput.parse({ skipCount: true }))),
  });
  const shared = { unit: "ms", reference: seen.first };
  return [
    figure({
      ...shared,
      row: "9",
      name: `list, first page with exact total, ${world.size.rows} rows`,
      value: seen.total,
      target: { max: 1.2 },
    }),
    figure({
      ...shared,
      row: "10",
      name: `list by cursor, ${depth} rows deep`,
      value: seen.deep,
      target: { max: 1.2 },
    }),
    figure({
      ...shared,
      row: "11",
      name: "partner's first page over 100 organizations",
      value: seen.partner,
      target: { max: 3 },
    }),
  ];
}

export const listBench: Bench = { rows: ["9", "10", "11"], title: "lists", run };
