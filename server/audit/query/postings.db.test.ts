import { randomUUID } from "node:crypto";
import fc from "fast-check";
import postgres from "postgres";
import { expect, inject, it } from "vitest";
import { type Tx, tenant } from "@/db/client";
import type { Ctx } from "@/server/ground/context";
import { appendEvents, type TestEvent } from "@/testing/audit-entries";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { permit } from "@/testing/permit";
import { advanceIndex } from "@/testing/search/advance-index";
import { type Filters, inLists, naive } from "@/testing/search/naive";
import { countRows } from "./count";
import { type Plan, planFor } from "./plan";
import { findPosted } from "./postings";
import { type Cursor, ENTRY, rowsByKey } from "./rows";

const IDS = Array.from({ length: 23 }, () => randomUUID());

/** Late by up to two days, so that no slice is without rows that are older than another's. */
const eventsOf = (orgId: string, from: number, to: number): TestEvent[] =>
  Array.from({ length: to - from }, (_, i) => from + i).map((n) => ({
    orgId,
    timestamp: new Date(Date.UTC(2020, 5, 1, 0, n - ((n * 7919) % 2_880))),
    actorType: n % 3 ? ("agent" as const) : ("user" as const),
    actorId: n % 5 ? IDS[(n * 11) % IDS.length] : `agent-${n % 37}`,
    actorEmail: n % 3 ? null : `person${(n * 7) % 40}@Example.test`,
    resourceId: n % 4 ? IDS[(n * 5) % IDS.length] : null,
    resourceName: `Thing ${n % 11}`,
    details: n % 7 ? { note: `change ${n % 9}` } : { rawActorId: `agent-${n % 41}` },
    result: n % 6 ? ("success" as const) : ("denied" as const),
  }));

const filters = fc
  .record(
    {
      user: fc.constantFrom("person7@", "PERSON31@example.test", "nobody"),
      actorId: fc.constantFrom(...IDS.slice(0, 4), "agent-1", "agent-40"),
      resourceId: fc.constantFrom(...IDS.slice(0, 4), randomUUID()),
      result: fc.constantFrom("success", "denied"),
      resource: fc.constant("thing 7"),
      phrase: fc.constant("change 3"),
      from: fc.constant(new Date("2020-06-01T09:00:00Z")),
      to: fc.constant(new Date("2020-06-03T01:00:00Z")),
    },
    { requiredKeys: [] },
  )
  .filter(({ user, actorId, resourceId }) => Boolean(user || actorId || resourceId));

function findByPostings(tx: Tx, { orgIds, filter, all }: Plan, window: { after?: Cursor | undefined; need: number }) {
  const postings = all.kind === "keys" ? all.postings : null;
  return postings && findPosted(tx, { orgIds, filter, postings }, window);
}

/** Every page by key, and the total, of what the rows say. */
async function expectExact(ctx: Ctx, asked: Filters, size: number): Promise<void> {
  const ids: string[] = [];
  let after: Cursor | undefined;
  for (;;) {
    const [page, rows] = await tenant(ctx.scope, async (tx) => {
      const found = await findByPostings(tx, await planFor(tx, ctx, inLists(asked)), { after, need: size });
      if (!found) throw new Error("not read by key");
      return [found, await rowsByKey(tx, found, ENTRY)];
    });
    ids.push(...rows.map(({ id }) => id));
    const last = page.at(-1);
    if (!last || page.length < size) break;
    after = last;
  }
  expect([asked, ids]).toEqual([asked, await naive(ctx, asked.phrase ?? "", asked)]);
  const total = await tenant(ctx.scope, async (tx) => countRows(tx, await planFor(tx, ctx, inLists(asked))));
  expect([asked, total]).toEqual([asked, ids.length]);
}

it("pages and totals of a person or a thing are those of the rows, whatever is counted, merged or pruned", async () => {
  const org = await createOrg();
  const ctx = await ctxFor(await createUser({ orgId: org.id, name: "Somebody else" }));
  const owner = postgres(inject("ownerDatabaseUrl"), { max: 1, onnotice: () => {} });
  const equal = (runs: number) =>
    fc.assert(
      fc.asyncProperty(filters, fc.constantFrom(7, 50, 400), (asked, size) => expectExact(ctx, asked, size)),
      { numRuns: runs },
    );
  await appendEvents(eventsOf(org.id, 0, 2_100));
  await equal(5);
  while ((await advanceIndex(org.id)) !== 0);
  await equal(10);
  await appendEvents(eventsOf(org.id, 2_100, 4_300));
  while ((await advanceIndex(org.id)) !== 0);
  await appendEvents(eventsOf(org.id, 4_300, 4_500));
  await equal(40);
  await owner`SELECT audit_search_merge(${org.id}, 0, 4300)`;
  await equal(20);

  await permit(org.id, 1_003);
  const admin = postgres(process.env.AUDIT_ADMIN_DATABASE_URL as string, { max: 1, onnotice: () => {} });
  await admin.begin(async (tx) => {
    await tx`SELECT set_config('trailmark.prune', 'on', true)`;
    await tx`DELETE FROM audit_logs WHERE org_id = ${org.id} AND chain_seq <= 1003`;
  });
  await admin.end();
  await equal(15);
  while ((await advanceIndex(org.id)) !== 0);
  await equal(15);
  const [slice] = await owner`SELECT DISTINCT first_seq, last_seq FROM audit_resource_counts WHERE org_id = ${org.id}`;
  expect(slice).toEqual({ first_seq: "1004", last_seq: "4300" });
  await owner.end();
});

it("one who acts all the time is not read by key, and who is gone with retention is forgotten", async () => {
  const org = await createOrg();
  const ctx = await ctxFor(await createUser({ orgId: org.id, name: "Somebody else" }));
  const event = { orgId: org.id, timestamp: new Date("2020-01-01T00:00:00Z") };
  const by = (actorEmail: string, count: number) =>
    appendEvents(Array.from({ length: count }, () => ({ ...event, actorEmail, actorId: randomUUID() })));
  const one = randomUUID();
  await by("gone@example.test", 20);
  await appendEvents(Array.from({ length: 2_300 }, () => ({ ...event, actorId: one })));
  while ((await advanceIndex(org.id)) !== 0);
  const find = (asked: Filters) =>
    tenant(ctx.scope, async (tx) => findByPostings(tx, await planFor(tx, ctx, inLists(asked)), { need: 5 }));
  expect(await find({ actorId: one })).toBeNull();
  expect(await find({ user: "gone@" })).toHaveLength(5);

  await permit(org.id, 20);
  const admin = postgres(process.env.AUDIT_ADMIN_DATABASE_URL as string, { max: 1, onnotice: () => {} });
  await admin.begin(async (tx) => {
    await tx`SELECT set_config('trailmark.prune', 'on', true)`;
    await tx`DELETE FROM audit_logs WHERE org_id = ${org.id} AND chain_seq <= 20`;
  });
  await admin.end();
  expect(await find({ user: "gone@" })).toEqual([]);
  while ((await advanceIndex(org.id)) !== 0);
  const actors = await tenant(ctx.scope, (tx) => tx.execute("SELECT email FROM audit_actors WHERE email IS NOT NULL"));
  expect(actors).toEqual([]);
});
