import postgres from "postgres";
import { type Bench, type Figure, figuresOf, interleave, medianMsOf, msOf, timesFaster } from "@/bench/harness";
import type { World } from "@/bench/world";
import { listFullEntries, searchEntries } from "@/server/audit/entries/list";
import { listInput, searchInput } from "@/server/audit/schema";

const ABSENT = "qqxzjw-absent";
/** Words of one row in ten: part of an action, and a word of the details alone. */
const COMMON = "alert";
const COMMON_DETAIL = "durationms";
const FIELDS = ["action", "actor_email", "resource_type", "resource_name", "details::text"];

/** The rare term occurs in one of this many rows. */
const RARE = 1_000;

/** Terms of the history by how often they occur: a device's name, an execution's id, a resource and a person. */
async function termsOf({ app, size }: World, orgId: string) {
  const [rare] = await app<{ term: string }[]>`
    SELECT lower(resource_name) AS term FROM audit_logs WHERE org_id = ${orgId} AND resource_type = 'device'
    GROUP BY 1 ORDER BY abs(count(*) - ${size.rows / RARE}), 1 LIMIT 1`;
  const [only] = await app<{ term: string }[]>`
    SELECT details ->> 'executionId' AS term FROM audit_logs
    WHERE org_id = ${orgId} AND action = 'script.execute' AND chain_seq > ${1_000} ORDER BY chain_seq LIMIT 1`;
  const [few] = await app<{ resource: string; email: string }[]>`
    SELECT resource_id AS resource, actor_email AS email FROM audit_logs
    WHERE org_id = ${orgId} AND action = 'device.update' ORDER BY chain_seq LIMIT 1`;
  if (!rare || !only || !few) throw new Error("the history has no devices, or nothing about them");
  return { rare: rare.term, only: only.term, resourceId: few.resource, user: few.email };
}

const CONTAINS = `(${FIELDS.map((f) => `${f} ILIKE $2`).join(" OR ")})`;

/** The same queries, answered by reading every row. */
const counterOf = (sql: postgres.Sql, orgId: string) => (condition: string, value: string) =>
  sql.unsafe(`SELECT count(*) FROM audit_logs WHERE org_id = $1 AND ${condition}`, [orgId, value], { prepare: true });

/** Rows 12 and 13: terms in one organization's whole history. */
async function run(world: World): Promise<Figure[]> {
  const orgId = await world.history();
  const ctx = world.ctxOf(orgId);
  const search = (q: string) => () => searchEntries.run(ctx, searchInput.parse({ q }));
  const connection = { "trailmark.scope": "system", enable_indexscan: "off", enable_bitmapscan: "off" };
  const detail = `of ${world.size.rows} rows`;
  const scanner = postgres(world.embedded.appUrl, { max: 1, connection: connection as never, onnotice: () => {} });
  const count = counterOf(scanner, orgId);
  const scan = (term: string) => count(CONTAINS, `%${term}%`);
  const { rare, only, resourceId, user } = await termsOf(world, orgId);
  const totalOf = async (term: string) => (await search(term)()).pagination.total;
  const rareTotal = await totalOf(rare);
  if (rareTotal < world.size.rows / RARE / 2) throw new Error(`the rare term was found ${rareTotal} times`);
  if ((await totalOf(only)) !== 1) throw new Error("what one row holds was not found once");
  const list = (filter: object) => () => listFullEntries.run(ctx, listInput.parse(filter));
  const seen = await interleave(5, {
    rare: () => medianMsOf(7, search(rare)),
    only: () => medianMsOf(7, search(only)),
    absent: () => medianMsOf(7, search(ABSENT)),
    scan: () => msOf(() => scan(ABSENT)),
    common: () => msOf(search(COMMON)),
    scanCommon: () => msOf(() => scan(COMMON)),
    commonDetail: () => msOf(search(COMMON_DETAIL)),
    scanCommonDetail: () => msOf(() => scan(COMMON_DETAIL)),
    all: () => msOf(list({ user, resourceId, action: "device.update" })),
    resource: () => msOf(list({ resourceId })),
    scanResource: () => msOf(() => count("resource_id = $2::text::uuid", resourceId)),
    user: () => msOf(list({ user })),
    scanUser: () => msOf(() => count("actor_email ILIKE $2", `%${user}%`)),
    one: () => msOf(search("e")),
    two: () => msOf(search("qz")),
  });
  await scanner.end();
  const [figure, short] = [figuresOf("12", "ms"), figuresOf("13", "ms")];
  const faster = (value: number, reference = seen.scan) => ({ detail, ...timesFaster({ value, reference }) });
  const rarely = { ...faster(seen.rare), detail: `${rareTotal} of ${world.size.rows} rows` };
  const words = faster(seen.commonDetail, seen.scanCommonDetail);
  const all = faster(seen.all, seen.scanResource);
  const of = "times faster than a scan";
  return [
    figure(`search for a rare term, ${of}`, rarely, { min: 150 }),
    figure(`search for a term of one row, ${of}`, faster(seen.only), { min: 500 }),
    figure(`search for an absent term, ${of}`, faster(seen.absent), { min: 1_000 }),
    figure(`search for a common term, ${of}`, faster(seen.common, seen.scanCommon), { min: 25 }),
    figure(`search for a common word of the details, ${of}`, words, { min: 25 }),
    figure(`filter by a resource, ${of}`, faster(seen.resource, seen.scanResource), { min: 150 }),
    figure(`filter by a person, ${of}`, faster(seen.user, seen.scanUser), { min: 150 }),
    figure(`filter by resource, person and action, ${of} for the resource`, all, { min: 150 }),
    short("search for 1 character", { value: seen.one }, { max: 150 }),
    short("search for 2 characters", { value: seen.two }, { max: 150 }),
  ];
}

export const searchBench: Bench = { rows: ["12", "13"], title: "search", run };
