import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { listFullEntries } from "@/server/audit/entries/list";
import type { RowInput } from "@/server/audit/record/to-row";
import { type FullEntry, listInput } from "@/server/audit/schema";
import { rebuildIndex } from "@/server/audit/search/search-worker";
import { FIRST_SEEN, type FirstSeen } from "@/server/audit/vocabulary";
import type { Ctx } from "@/server/ground/context";
import { runRetention } from "@/server/retention/run";
import { appendEvents } from "@/testing/audit-entries";
import { daysAgo, roles } from "@/testing/chain";
import { createOrg, createPartner, createUser, ctxFor } from "@/testing/factories";
import { advanceIndex } from "@/testing/search/advance-index";
import { unhurried } from "@/testing/unhurried";

const [JANE, MARCUS] = [randomUUID(), randomUUID()];
const ACTORS = [
  { actorType: "user", actorId: JANE },
  { actorType: "user", actorId: MARCUS },
  { actorType: "api_key", actorId: JANE },
  { actorType: "agent", actorId: "agent-of-another-shape" },
  { actorType: "user", actorId: null },
  { actorType: "system", actorId: null },
] as const;
const ADDRESSES = ["198.51.100.7", "198.51.100.8", "203.0.113.9", "2001:db8:1:2::7", "2001:db8:1:3::9", null];

/** Rows whose actors, addresses and user agents repeat in no common rhythm. */
const rowsOf = (orgId: string, { from = 0, count, age = 0 }: { from?: number; count: number; age?: number }) =>
  Array.from({ length: count }, (_, at) => {
    const n = from + at;
    return {
      orgId,
      ...ACTORS[((n * 7) % 11) % ACTORS.length],
      timestamp: new Date(daysAgo(age)),
      resourceName: String(n),
      ipAddress: n % 97 === 0 ? `192.0.2.${n % 251}` : ADDRESSES[((n * n) % 13) % ADDRESSES.length],
      userAgent: n % 53 === 0 ? `Browser/${n}` : "curl/8",
    };
  });

const NETWORK: Record<string, string> = { "2001:db8:1:2::7": "2001:db8:1", "2001:db8:1:3::9": "2001:db8:1" };
const SHOWN: Record<FirstSeen, (row: RowInput) => string | null | undefined> = {
  address: (row) => row.ipAddress,
  network: ({ ipAddress }) => ipAddress && (NETWORK[ipAddress] ?? ipAddress.split(".").slice(0, 3).join(".")),
  userAgent: (row) => row.userAgent,
};

/** The definition, word by word, newest first. */
function naive(rows: readonly RowInput[], kind: FirstSeen): string[] {
  const known = new Set<string>();
  const found = rows.filter((row) => {
    const value = SHOWN[kind](row);
    const key = `${row.actorType} ${row.actorId} ${value}`;
    if (row.actorType === "system" || !row.actorId || !value || known.has(key)) return false;
    return known.add(key);
  });
  return found.map((row) => String(row.resourceName)).reverse();
}

async function listed(ctx: Ctx, query: { new?: string; [filter: string]: string | undefined }): Promise<string[]> {
  const page = await listFullEntries.run(unhurried(ctx), listInput.parse({ limit: 100, ...query }));
  expect(page.pagination.total).toBe(page.data.length);
  for (const { firstSeen } of query.new ? page.data : []) expect(firstSeen).toContain(query.new?.split(",")[0]);
  return page.data.map(({ resource }) => String(resource?.name));
}

async function everyEntry(ctx: Ctx): Promise<FullEntry[]> {
  const found: FullEntry[] = [];
  for (let page = 1; ; page++) {
    const { data } = await listFullEntries.run(
      ctx,
      listInput.parse({ limit: 100, page, exclude: "category:organization" }),
    );
    found.push(...data);
    if (data.length < 100) return found;
  }
}

async function expectExact(ctx: Ctx, rows: readonly RowInput[]) {
  for (const kind of FIRST_SEEN) {
    const expected = naive(rows, kind);
    expect(expected.length).toBeGreaterThan(3);
    expect(await listed(ctx, { new: kind }), kind).toEqual(expected);
    const told = (await everyEntry(ctx)).filter(({ firstSeen }) => firstSeen?.includes(kind));
    expect(told.map(({ resource }) => resource.name)).toEqual(expected);
  }
}

it("finds each actor's first address, network and user agent at any index state", async () => {
  const { id: orgId } = await createOrg();
  const ctx = await ctxFor(await createUser({ orgId, role: "org_admin" }));
  const rows = rowsOf(orgId, { count: 300 });
  await appendEvents(rows);
  await expectExact(ctx, rows as RowInput[]);
  while (await advanceIndex(orgId, 128));
  await expectExact(ctx, rows as RowInput[]);
  const more = rowsOf(orgId, { from: 300, count: 60 });
  await appendEvents(more);
  await expectExact(ctx, [...rows, ...more] as RowInput[]);
  await rebuildIndex(orgId);
  await expectExact(ctx, [...rows, ...more] as RowInput[]);
});

it("the oldest retained entry counts as first after retention prunes earlier ones", async () => {
  const { id: orgId } = await createOrg();
  const ctx = await ctxFor(await createUser({ orgId, role: "org_admin" }));
  const kept = rowsOf(orgId, { from: 200, count: 300 });
  await appendEvents(rowsOf(orgId, { count: 200, age: 400 }));
  await appendEvents(kept);
  while (await advanceIndex(orgId));
  await runRetention({ orgIds: [orgId] });
  while (await advanceIndex(orgId));
  await expectExact(ctx, kept as RowInput[]);
  const stored = () =>
    roles.owner.begin(async (tx) => {
      await tx`SET LOCAL session_replication_role = replica`;
      await tx`SELECT set_config('trailmark.scope', 'system', true)`;
      return tx`SELECT * FROM audit_first_seen WHERE org_id = ${orgId} ORDER BY kind, actor_type, actor, digest`;
    });
  const followed = [...(await stored())];
  await rebuildIndex(orgId);
  expect([...(await stored())]).toEqual(followed);
});

it("combines with other filters and ignores other organizations", async () => {
  const partner = await createPartner();
  const [one, other] = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
  const signIn = { actorType: "user", actorId: JANE, ipAddress: "198.51.100.7" } as const;
  await appendEvents([
    { ...signIn, orgId: other.id, resourceName: "elsewhere" },
    { ...signIn, orgId: one.id, action: "user.login", resourceName: "first" },
    { ...signIn, orgId: one.id, action: "user.login", resourceName: "again" },
    { ...signIn, orgId: one.id, action: "device.delete", ipAddress: "203.0.113.9", resourceName: "deletion" },
  ]);
  const ctx = await ctxFor(await createUser({ orgId: one.id, role: "org_admin" }));
  expect(await listed(ctx, { new: "address" })).toEqual(["deletion", "first"]);
  expect(await listed(ctx, { new: "address", action: "user.login" })).toEqual(["first"]);
  expect(await listed(ctx, { new: "address,network", ip: "203.0.113.9" })).toEqual(["deletion"]);
});
