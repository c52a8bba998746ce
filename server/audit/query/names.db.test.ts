import { randomUUID } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem, tenant } from "@/db/client";
import { listFullEntries } from "@/server/audit/entries/list";
import { usersOf } from "@/server/audit/entries/reports/report-counts";
import { listInput } from "@/server/audit/schema";
import { CLASS } from "@/server/audit/search/format";
import { leavesOf } from "@/server/audit/search/match";
import { narrow } from "@/server/ground/scope";
import { appendEvents } from "@/testing/audit-entries";
import { createApiKey, createDevice, createOrg, createUser, ctxFor } from "@/testing/factories";
import { type Plan, planFor } from "./plan";
import { ENTRY, newestRows } from "./rows";
import { countsBy, type Shape } from "./tallies";

/** By the index of their name alone, whether the planner knows yet how many have it or not. */
function expectByIndex(plan: string): void {
  expect(plan).toMatch(/Index Scan (using|on) agents_actor_idx/);
  expect(plan).not.toContain("agents_org_idx");
  expect(plan).not.toContain("Seq Scan on agents");
  expect(plan).not.toMatch(/agents_actor_idx(?:(?!->).)*Rows Removed by Filter: \d{3}/);
}

it("looks up agent names by index for pages and reports", async () => {
  const { id: orgId } = await createOrg();
  const byUuid = await createDevice({ orgId, agentId: randomUUID().toUpperCase() });
  const byName = await createDevice({ orgId, agentId: `host-${orgId}` });
  await asSystem(async (tx) => {
    await tx.execute(sql`INSERT INTO devices (org_id, hostname, os)
      SELECT ${orgId}::uuid, 'ws-' || n, 'linux' FROM generate_series(1, 3000) n`);
    await tx.execute(sql`INSERT INTO agents (id, device_id, org_id, token_hash)
      SELECT gen_random_uuid(), id, org_id, id::text FROM devices
      WHERE org_id = ${orgId}::uuid AND id NOT IN (${byUuid.id}::uuid, ${byName.id}::uuid)`);
  });
  await appendEvents([byUuid, byName].map(({ agentId }) => ({ orgId, actorType: "agent", actorId: agentId })));
  const { scope } = await ctxFor(await createUser({ orgId }));
  const window = { orgIds: [orgId], conditions: [], after: undefined, offset: 0, limit: 50, shape: ENTRY };
  await tenant(scope, async (tx) => {
    const rows = await newestRows(tx, window);
    expect(rows.map(({ hostname }) => hostname).sort()).toEqual([byUuid.hostname, byName.hostname].sort());
    const explained = Object.create(tx);
    let plan = "";
    explained.execute = async (query: SQL) => {
      plan = JSON.stringify(await tx.execute(sql`EXPLAIN (ANALYZE) ${query}`));
      return [];
    };
    await newestRows(explained, window);
    expectByIndex(plan);
    const counts = (shape: Shape) => countsBy([orgId], {}, shape);
    expect((await usersOf(tx, counts)).map(({ userName }) => userName).sort()).toEqual(
      [`Agent (${byUuid.hostname})`, `Agent (${byName.hostname})`].sort(),
    );
    await usersOf(explained, counts);
    expectByIndex(plan);
  });
});

it("lists an entry once when two agents share a UUID in different case", async () => {
  const { id: orgId } = await createOrg();
  const agentId = randomUUID();
  for (const id of [agentId, agentId.toUpperCase()]) await createDevice({ orgId, agentId: id, hostname: "WS-1" });
  await appendEvents([{ orgId, actorType: "agent", actorId: agentId }]);
  const { scope } = await ctxFor(await createUser({ orgId }));
  const window = { orgIds: [orgId], conditions: [], after: undefined, offset: 0, limit: 50, shape: ENTRY };
  expect(await tenant(scope, (tx) => newestRows(tx, window))).toMatchObject([{ hostname: "WS-1" }]);
});

/** Whom a filter found by name: what its words mean, and the tags that are looked up for it. */
const idsIn = ({ filter, all }: Plan): string[] => [
  ...(filter.words ?? []).flat().flatMap(({ people, keys, agents }) => [...people, ...keys, ...agents]),
  ...(filter.words || all.kind !== "keys" ? [] : leavesOf(all.query)).flatMap((leaf) =>
    leaf.op === "is" && [CLASS.actorId, CLASS.resourceId].some((kind) => kind === leaf.kind) ? [...leaf.values] : [],
  ),
];

it("looks up names only in the organizations that a platform operator selects", async () => {
  const name = `zoe-${randomUUID().slice(0, 8)}`;
  const [asked, foreign] = [await createOrg(), await createOrg()];
  const everyone = async ({ id: orgId, partnerId }: typeof asked) => ({
    own: (await createUser({ orgId, name })).id,
    partners: (await createUser({ partnerId, role: "partner_admin", name })).id,
    key: (await createApiKey({ orgId, name })).id,
    partnersKey: (await createApiKey({ partnerId, name })).id,
    device: await createDevice({ orgId, hostname: name }),
  });
  const [theirs, others] = [await everyone(asked), await everyone(foreign)];
  const operator = await createUser({ role: "system_admin", name });
  const ctx = await ctxFor(operator);
  const narrowed = narrow(ctx, asked.id);
  const found = (by: typeof ctx, filter: object) =>
    tenant(by.scope, async (tx) => idsIn(await planFor(tx, by, filter)).sort());
  const { own, partners, key, partnersKey, device } = theirs;
  const actors = [own, partners, key, partnersKey, operator.id, device.agentId].sort();
  expect(await found(narrowed, { q: name })).toEqual(actors);
  expect(await found(narrowed, { user: name })).toEqual(actors);
  expect(await found(narrowed, { device: name })).toEqual([device.id, device.agentId].sort());
  const both = narrow(ctx, [asked.id, foreign.id]);
  for (const by of [ctx, both])
    expect(await found(by, { q: name })).toEqual(
      [...actors, others.own, others.partners, others.key, others.partnersKey, others.device.agentId].sort(),
    );

  await appendEvents([
    ...[own, partners, operator.id].map((actorId) => ({ orgId: asked.id, actorType: "user" as const, actorId })),
    ...[key, partnersKey].map((actorId) => ({ orgId: asked.id, actorType: "api_key" as const, actorId })),
    { orgId: asked.id, actorType: "agent", actorId: device.agentId },
    { orgId: asked.id, actorType: "system", actorId: null },
  ]);
  const listed = async (filter: object) =>
    (await listFullEntries.run(narrowed, listInput.parse(filter))).data.map(({ user }) => user.id).sort();
  expect(await listed({ q: name })).toEqual(actors);
  expect(await listed({ user: name })).toEqual(actors);
  expect(await listed({ device: name })).toEqual([device.agentId]);
});
