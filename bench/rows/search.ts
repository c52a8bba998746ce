import postgres from "postgres";
import { type Bench, type Figure, figure, interleave, medianMsOf, msOf } from "@/bench/harness";
import type { World } from "@/bench/world";
import { searchEntries } from "@/server/audit/entries/search";
import { searchInput } from "@/server/audit/schema";

const ABSENT = "qqxzjw-absent";
const FIELDS = ["action", "actor_email", "resource_type", "resource_name", "details::text"];

/** A text that one row of the history holds and no other: the id of a script's execution. */
async function rareTerm({ app }: World, orgId: string): Promise<string> {
  const [row] = await app<{ term: string }[]>`
    SELECT details ->> 'executionId' AS term FROM audit_logs
    WHERE org_id = ${orgId} AND action = 'script.execute' AND chain_seq > ${1_000} ORDER BY chain_seq LIMIT 1`;
  if (!row) throw new Error("the history has no execution of a script");
  return row.term;
}

/** The same question, answered by reading every row. */
const scan = (sql: postgres.Sql, orgId: string, term: string) =>
  sql.unsafe(
    `SELECT count(*) FROM audit_logs WHERE org_id = $1 AND (${FIELDS.map((f) => `${f} ILIKE $2`).join(" OR ")})`,
    [orgId, `%${term}%`],
    { prepare: true },
  );

/** Rows 12 and 13: terms in the whole history of one organization. */
async function run(world: World): Promise<Figure[]> {
  const orgId = await world.history();
  const ctx = world.ctxOf(orgId);
  const search = (q: string) => () => searchEntries.run(ctx, searchInput.parse({ q }));
  const connection = { "trailmark.scope": "system", enable_indexscan: "off", enable_bitmapscan: "off" };
  const scanner = postgres(world.embedded.appUrl, { max: 1, connection: connection as never, onnotice: () => {} });
  const rare = await rareTerm(world, orgId);
  const { pagination } = await search(rare)();
  if (pagination.total !== 1) throw new Error(`the rare term was found ${pagination.total} times`);
  const seen = await interleave(5, {
    rare: () => medianMsOf(7, search(rare)),
    absent: () => medianMsOf(7, search(ABSENT)),
    scan: () => msOf(() => scan(scanner, orgId, ABSENT)),
    one: () => msOf(search("e")),
    two: () => msOf(search("qz")),
  });
  await scanner.end();
  const faster = (value: number) => ({
    unit: "ms",
    value,
    reference: seen.scan,
    ratio: seen.scan / value,
    target: { min: 100 },
  });
  const detail = `of ${world.size.rows} rows`;
  return [
    figure({ row: "12", name: "search for a rare term, times faster than a scan", ...faster(seen.rare), detail }),
    figure({ row: "12", name: "search for an absent term, times faster than a scan", ...faster(seen.absent), detail }),
    figure({ row: "13", name: "search for 1 character", unit: "ms", value: seen.one, target: { max: 500 } }),
    figure({ row: "13", name: "search for 2 characters", unit: "ms", value: seen.two, target: { max: 500 } }),
  ];
}

export const searchBench: Bench = { rows: ["12", "13"], title: "search", run };
