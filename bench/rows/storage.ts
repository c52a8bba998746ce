import { type Bench, type Figure, figuresOf } from "@/bench/harness";
import type { World } from "@/bench/world";

/** Row 19: disk space of a sealed row with all that is derived from it, against the table's heap. */
async function run(world: World): Promise<Figure[]> {
  await world.history();
  const [found] = await world.owner<{ heap: string; total: string; search: string; seen: string; rows: string }[]>`
    SELECT pg_relation_size('audit_logs') AS heap,
      pg_total_relation_size('audit_logs') + pg_total_relation_size('audit_tree_tiles') AS total,
      pg_total_relation_size('audit_segments') + pg_total_relation_size('audit_segment_blocks')
        + pg_total_relation_size('audit_tallies') + pg_total_relation_size('audit_actor_tallies') AS search,
      pg_total_relation_size('audit_first_seen') AS seen, (SELECT count(*) FROM audit_logs) AS rows`;
  if (!found) throw new Error("no sizes");
  const [heap, total] = [Number(found.heap), Number(found.total)];
  const [search, seen, rows] = [Number(found.search), Number(found.seen), Number(found.rows)];
  const each = (bytes: number) => (bytes / rows).toFixed(0);
  const sizes = {
    ...{ value: (total + search + seen) / rows, reference: heap / rows },
    detail: `of it ${each(search)} bytes for search and ${each(seen)} for first sightings`,
  };
  return [
    figuresOf("19", "bytes")("storage per audit row: indexes, tree, search, first sightings", sizes, { max: 1.6 }),
  ];
}

export const storageBench: Bench = { rows: ["19"], title: "storage", run };
