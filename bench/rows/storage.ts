import { type Bench, type Figure, figure } from "@/bench/harness";
import type { World } from "@/bench/world";

/** Row 19: disk space of a sealed row with all indexes and the search table, against the table's heap. */
async function run(world: World): Promise<Figure[]> {
  await world.history();
  const [found] = await world.owner<{ heap: string; total: string; search: string; rows: string }[]>`
    SELECT pg_relation_size('audit_logs') AS heap, pg_total_relation_size('audit_logs') AS total,
      pg_total_relation_size('audit_segments') + pg_total_relation_size('audit_segment_blocks')
        + pg_total_relation_size('audit_tallies') + pg_total_relation_size('audit_actor_tallies') AS search, (SELECT count(*) FROM audit_logs) AS rows`;
  if (!found) throw new Error("no sizes");
  const [heap, total] = [Number(found.heap), Number(found.total)];
  const [search, rows] = [Number(found.search), Number(found.rows)];
  const detail =
    search > 0 ? `of it ${(search / rows).toFixed(0)} bytes for search` : "no search table in this version";
  return [
    figure({
      row: "19",
      name: "storage per audit row, indexes and search included",
      unit: "bytes",
      value: (total + search) / rows,
      reference: heap / rows,
      target: { max: 1.6 },
      detail,
    }),
  ];
}

export const storageBench: Bench = { rows: ["19"], title: "storage", run };
