import fc from "fast-check";
import postgres from "postgres";
import { beforeAll, describe, expect, it } from "vitest";
import { tenant } from "@/db/client";
import { listFullEntries, searchEntries } from "@/server/audit/entries/list";
import type { RowInput } from "@/server/audit/record/to-row";
import { listInput, searchInput } from "@/server/audit/schema";
import { rebuildIndex, searchWorker } from "@/server/audit/search/search-worker";
import type { Ctx } from "@/server/ground/context";
import { appendEvents, type TestEvent } from "@/testing/audit-entries";
import { call, createOrg, createPartner, createUser, ctxFor, type TestUser } from "@/testing/factories";
import { permit } from "@/testing/permit";
import { advanceIndex } from "@/testing/search/advance-index";
import { ACTIONS, type Filters, inLists, naive, searched } from "@/testing/search/naive";
import { unhurried } from "@/testing/unhurried";
import { countRows } from "./count";
import { planFor } from "./plan";
import { type Cursor, ENTRY, type Found, type Key, rowsByKey } from "./rows";
import { scanKeys } from "./scan";

import { findKeys } from "./search";

const OVER = { leftMs: () => 0 };

/** A clock by which a second passes between two looks at it. */
function fastClock(): () => Date {
  let seconds = Math.floor(Date.now() / 1_000);
  return () => new Date(1_000 * seconds++);
}

const LETTERS = [
  "a",
  "B",
  "é",
  "Σ",
  "ß",
  "日",
  "😀",
  "%",
  "_",
  "\\",
  "'",
  '"',
  "\n",
  "\x1e",
  "7",
  "-",
  " ",
  ".",
  "x",
  "İ",
];
const word = fc.array(fc.constantFrom(...LETTERS), { minLength: 0, maxLength: 12 }).map((l) => l.join(""));
const event = fc.record({
  action: fc.constantFrom(...ACTIONS),
  actorEmail: fc.oneof(fc.constant(null), word),
  resourceType: fc.constantFrom("device", "Policy", "é_%"),
  resourceName: fc.oneof(fc.constant(null), word),
  details: fc.oneof(fc.constant(null), fc.record({ note: word, kéy: word })),
  result: fc.constantFrom("success", "failure", "denied"),
  actorType: fc.constantFrom("system", "api_key", "ai_agent"),
  minute: fc.integer({ min: 0, max: 2_000 }),
});
const eventsOf = (orgId: string, count: number, seed: number): TestEvent[] =>
  fc.sample(event, { numRuns: count, seed }).map(({ minute, ...rest }) => ({
    ...(rest as Partial<RowInput>),
    orgId,
    timestamp: new Date(Date.UTC(2026, 5, 1, 0, minute)),
  }));

const filters = fc.record(
  {
    action: fc.constantFrom("login", "E", "data.", "_", "nope"),
    result: fc.constantFrom("success", "denied"),
    user: fc.constantFrom("a", "é", "%", "b7"),
    resource: fc.constantFrom("poli", "é_", "x", "日"),
    from: fc.constant(new Date("2026-06-01T05:00:00Z")),
    to: fc.constant(new Date("2026-06-02T01:00:00Z")),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Filters>;

describe("search", () => {
  let single: Ctx;
  let several: Ctx;
  let admin: TestUser;
  let texts: string[];

  beforeAll(async () => {
    const partner = await createPartner();
    const orgs = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
    admin = await createUser({ orgId: orgs[0]?.id as string, name: "Nobody in particular" });
    single = await ctxFor(admin);
    several = await ctxFor(await createUser({ partnerId: partner.id, role: "partner_admin", name: "Nobody" }));
    const rows: RowInput[] = [];
    for (const [n, { id }] of orgs.entries()) {
      rows.push(...(await appendEvents(eventsOf(id, 500, n))));
      expect(await advanceIndex(id, 300 + n * 100)).toBeGreaterThan(200);
      rows.push(...(await appendEvents(eventsOf(id, 60, 10 + n))));
    }
    texts = rows
      .flatMap((r) => [r.actorEmail, r.resourceName, r.details && JSON.stringify(r.details), r.action])
      .filter((t): t is string => Boolean(t)); // prettier-ignore
  });

  const term = () =>
    fc
      .oneof(
        {
          weight: 3,
          arbitrary: fc
            .tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 9 }), fc.constantFrom("", "u", "l"))
            .map(([i, at, length, fold]) => {
              const text = texts[i % texts.length] as string;
              const letters = [...text];
              const start = at % letters.length;
              const part = letters.slice(start, start + length).join("");
              return fold === "u" ? part.toUpperCase() : fold === "l" ? part.toLowerCase() : part;
            }),
        },
        { weight: 1, arbitrary: word },
      )
      .filter((t) => t !== ""); // prettier-ignore

  it("matches a full scan of the five fields on a partly indexed log", async () => {
    await fc.assert(
      fc.asyncProperty(term(), filters, fc.boolean(), async (q, more, wide) => {
        const ctx = wide ? several : single;
        const expected = await naive(ctx, q, more);
        expect(await searched(ctx, q, more)).toEqual({ ids: expected, total: expected.length });
      }),
      { numRuns: 120 },
    );
  });

  it("lists and counts the same rows as a full scan", async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.boolean(), async (more, wide) => {
        const ctx = wide ? several : single;
        const expected = await naive(ctx, "", more);
        const page = await listFullEntries.run(ctx, { ...listInput.parse({ limit: 100 }), ...inLists(more) });
        expect(page.data.map((e) => e.id)).toEqual(expected.slice(0, 100));
        expect(page.pagination.total).toBe(expected.length);
      }),
      { numRuns: 40 },
    );
  });

  it("resumes from any position with the same rows and the same count", async () => {
    const searches = fc.record({ q: fc.option(term(), { nil: undefined }), more: filters, wide: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(searches, fc.integer({ min: 9, max: 90 }), async ({ q, more, wide }, need) => {
        const ctx = wide ? several : single;
        const expected = await naive(ctx, q ?? "", more);
        await tenant(ctx.scope, async (tx) => {
          const plan = await planFor(tx, ctx, { ...more, ...(q && { phrase: q }) });
          const idsOf = async (keys: Key[]) => (await rowsByKey(tx, keys, ENTRY)).map((row) => row.id);
          const keys: Found[] = [];
          for (let page: Found[] | null = null; page === null || page.length === need; ) {
            page = (await findKeys(tx, plan, { after: keys.at(-1), need })).keys;
            keys.push(...page);
          }
          expect(await idsOf(keys)).toEqual(expected);
          const stopped = await findKeys(tx, plan, { need, deadline: OVER });
          expect(await idsOf(stopped.keys)).toEqual(expected.slice(0, stopped.cut ? stopped.keys.length : need));
          const first = await findKeys(tx, plan, { need, total: true });
          expect(await idsOf(first.keys)).toEqual(expected.slice(0, need));
          if (plan.all.kind === "keys") expect(first.total).toBe(expected.length);
        });
      }),
      { numRuns: 80 },
    );
  });

  it("returns data, query and pagination, with numbered pages", async () => {
    const first = await call(admin, "GET /audit-logs/search?q=LOGIN&limit=5");
    expect(first.body).toMatchObject({ query: "LOGIN", pagination: { page: 1, limit: 5 } });
    const second = await call(admin, "GET /audit-logs/search?q=LOGIN&limit=5&page=2");
    const all = (await naive(single, "login")).slice(0, 10);
    expect([...first.body.data, ...second.body.data].map((e: { id: string }) => e.id)).toEqual(all);
    expect((await call(admin, "GET /audit-logs/search?q=")).status).toBe(400);
    expect((await call(admin, "GET /audit-logs/search")).body.errors[0].path).toBe("q");
  });

  it("cannot read another organization's rows or index segments", async () => {
    const stranger = await ctxFor("org_viewer");
    expect(await searched(stranger, "user.login")).toEqual({ ids: [], total: 0 });
    const foreign = single.scope.kind === "organization" ? single.scope.orgIds[0] : "";
    await tenant(stranger.scope, async (tx) => {
      for (const table of ["audit_segments", "audit_segment_blocks"]) {
        expect(await tx.execute(`SELECT FROM ${table} WHERE org_id = '${foreign}'`)).toHaveLength(0);
        expect((await tx.execute(`DELETE FROM ${table} WHERE org_id = '${foreign}'`)).count).toBe(0);
      }
    });
  });

  it("scans the newest rows for short terms and continues at the cursor", async () => {
    const org = await createOrg();
    const ctx = await ctxFor(await createUser({ orgId: org.id }));
    await appendEvents(
      Array.from({ length: 1_300 }, (_, i) => ({ orgId: org.id, resourceName: i === 3 ? "zq" : "other" })),
    );
    const first = await tenant(ctx.scope, (tx) =>
      scanKeys(tx, { orgIds: [org.id], filter: { phrase: "zq" } }, { after: undefined, need: 1, deadline: OVER }),
    );
    expect(first.keys).toEqual([]);
    const rest = await tenant(ctx.scope, (tx) =>
      scanKeys(
        tx,
        { orgIds: [org.id], filter: { phrase: "zq" } },
        { after: first.rest ?? undefined, need: 1, deadline: OVER },
      ),
    );
    expect(rest.keys.map((k) => k.seq)).toEqual(["4"]);
    expect(await searched(ctx, "zq")).toMatchObject({ total: 1 });
    const { pagination } = await searchEntries.run(unhurried(ctx), searchInput.parse({ q: "ot", limit: 500 }));
    const { pagination: second } = await searchEntries.run(
      unhurried(ctx),
      searchInput.parse({ q: "ot", limit: 500, cursor: pagination.nextCursor }),
    );
    expect([pagination, second]).toEqual(
      Array(2).fill(expect.objectContaining({ total: 1_299, totalPages: Math.ceil(1_299 / pagination.limit) })),
    );
    const hurried = { ...ctx, now: fastClock() };
    const page = await searchEntries.run(hurried, searchInput.parse({ q: "zq" }));
    expect(page).toMatchObject({ data: [], truncated: true });
    const cursor = page.pagination.nextCursor;
    const next = await searchEntries.run(hurried, searchInput.parse({ q: "zq", cursor }));
    expect(next.data.map((entry) => entry.resource.name)).toEqual(["zq"]);
    expect(next).toMatchObject({ pagination: { total: 1 }, truncated: true });
  });
});

describe("scanning the newest rows of several organizations", () => {
  it("returns each row once in list order, chunk by chunk", async () => {
    const partner = await createPartner();
    const orgs = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
    const ctx = await ctxFor(await createUser({ partnerId: partner.id, role: "partner_admin" }));
    for (const [n, { id }] of orgs.entries())
      await appendEvents(
        Array.from({ length: n ? 3_000 : 400 }, (_, i) => ({
          orgId: id,
          // A few hundred rows a moment, so that chunks end within one.
          timestamp: new Date(Date.UTC(2026, 0, 1) + Math.floor((i * (n ? 1 : 6)) / 300) * 1_000),
          resourceName: i % 2 ? "zq" : "other",
        })),
      );
    const keys: Found[] = [];
    let after: Cursor | undefined;
    let turns = 0;
    do {
      const { keys: found, rest } = await tenant(ctx.scope, (tx) =>
        scanKeys(
          tx,
          { orgIds: orgs.map((org) => org.id), filter: { phrase: "zq" } },
          { after, need: 1, deadline: OVER },
        ),
      );
      keys.push(...found);
      after = rest ?? undefined;
      turns++;
    } while (after);
    expect(turns).toBeGreaterThan(2);
    const rows = await tenant(ctx.scope, (tx) => rowsByKey(tx, keys, ENTRY));
    expect(rows.map((row) => row.id)).toEqual(await naive(ctx, "zq"));
    expect(keys.map((key) => `${key.orgId} ${key.seq}`)).toEqual(rows.map((row) => `${row.org_id} ${row.chain_seq}`));
  });
});

describe("search index of a pruned chain", () => {
  it("omits pruned rows from results and counts, before and after reindexing", async () => {
    const org = await createOrg();
    const ctx = await ctxFor(await createUser({ orgId: org.id }));
    const old = (n: number): TestEvent => ({
      orgId: org.id,
      timestamp: new Date(Date.UTC(2020, 0, 1, 0, n)),
      action: n % 3 ? "device.update" : "user.login",
      actorEmail: n < 900 ? "gone@example.test" : "here@example.test",
      resourceName: `thing ${n}`,
    });
    await appendEvents(Array.from({ length: 2_400 }, (_, n) => old(n)));
    while ((await advanceIndex(org.id)) !== 0);
    await permit(org.id, 1003);
    const admin = postgres(process.env.AUDIT_ADMIN_DATABASE_URL as string, { max: 1, onnotice: () => {} });
    await admin.begin(async (tx) => {
      await tx`SELECT set_config('trailmark.prune', 'on', true)`;
      await tx`DELETE FROM audit_logs WHERE org_id = ${org.id} AND chain_seq <= 1003`;
    });
    await admin.end();
    const check = async () => {
      for (const q of ["thing 99", "device.upd", "gone@ex", "here@example"])
        expect(await searched(ctx, q)).toEqual({ ids: await naive(ctx, q), total: (await naive(ctx, q)).length });
      const filters: Filters[] = [
        { action: "login" },
        { action: "update", from: new Date("2020-01-01T18:30:00Z"), to: new Date("2020-01-02T14:07:00Z") },
        { action: "prune" },
        { user: "gone@" },
        { user: "here@ex" },
        { resource: "thing 1" },
        { phrase: "update" },
        { phrase: "here@" },
      ];
      for (const filter of filters) {
        const count = await tenant(ctx.scope, async (tx) => countRows(tx, await planFor(tx, ctx, inLists(filter))));
        expect([filter, count]).toEqual([filter, (await naive(ctx, filter.phrase ?? "", filter)).length]);
      }
    };
    await check();
    await advanceIndex(org.id);
    await check();
    const [lowest] = await tenant(ctx.scope, (tx) =>
      tx.execute("SELECT min(first_seq)::int AS seq FROM audit_tallies"),
    );
    expect(lowest).toEqual({ seq: 1004 });
  });
});

describe("background indexer", () => {
  it("does not hide rows indexed during a search", async () => {
    const { id } = await createOrg();
    const ctx = await ctxFor(await createUser({ orgId: id }));
    await appendEvents(Array.from({ length: 100 }, () => ({ orgId: id, action: "device.wipe" })));
    const { keys } = await tenant(ctx.scope, async (tx) => {
      const plan = await planFor(tx, ctx, { action: "wipe" });
      await advanceIndex(id);
      return findKeys(tx, plan, { need: 200 });
    });
    expect(keys).toHaveLength(100);
  });

  it("counts rows indexed during a search exactly once", async () => {
    for (const filter of [{ action: "wipe", ip: "10.0.0.1" }, { phrase: "wipe" }, { q: "10.0.0.1" }]) {
      const { id } = await createOrg();
      const ctx = await ctxFor(await createUser({ orgId: id }));
      for (const total of [100, 200]) {
        const wipe = { orgId: id, action: "device.wipe", ipAddress: "10.0.0.1" };
        await appendEvents(Array.from({ length: 100 }, () => wipe));
        const counted = await tenant(ctx.scope, async (tx) => {
          const plan = await planFor(tx, ctx, filter);
          await advanceIndex(id);
          return countRows(tx, plan);
        });
        expect([filter, counted]).toEqual([filter, total]);
      }
    }
  });

  it("keeps search exact while a chain's index is rebuilt", async () => {
    const { id } = await createOrg();
    const ctx = await ctxFor(await createUser({ orgId: id }));
    await appendEvents(Array.from({ length: 1_500 }, (_, n) => ({ orgId: id, resourceName: `thing ${n % 10}` })));
    let isOver = false;
    const rebuilt = (async () => {
      for (let n = 0; n < 3; n++) await rebuildIndex(id);
      isOver = true;
    })();
    let searches = 0;
    for (; !isOver; searches++) expect(await searched(ctx, "thing 7")).toMatchObject({ total: 150 });
    await rebuilt;
    expect(searches).toBeGreaterThan(2);
  });

  it("keeps up with every chain and stops on request", async () => {
    const { id } = await createOrg();
    const ctx = await ctxFor(await createUser({ orgId: id }));
    await searchWorker.start();
    await appendEvents(Array.from({ length: 400 }, (_, n) => ({ orgId: id, details: { text: "x".repeat(n * 20) } })));
    const indexed = async () => {
      const [row] = await tenant(ctx.scope, (tx) => tx.execute("SELECT max(last_seq)::int AS seq FROM audit_segments"));
      return (row?.seq as number | undefined) ?? 0;
    };
    await expect.poll(indexed).toBeGreaterThan(272);
    await searchWorker.stop();
    expect(await searched(ctx, "xxxx")).toMatchObject({ total: 399 });
  });
});
