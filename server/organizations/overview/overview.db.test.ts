import { beforeAll, describe, expect, it } from "vitest";
import { listDevices } from "@/server/devices/devices";
import { listInput } from "@/server/devices/schema";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { raiseAlarm } from "@/server/evidence/integrity/alarm";
import { verifyNightly } from "@/server/evidence/integrity/nightly";
import { getIntegrityStatus } from "@/server/evidence/integrity/status";
import type { Ctx } from "@/server/ground/context";
import { previewPruning } from "@/server/retention/policy";
import { manyInput } from "@/server/retention/schema";
import { appendEvents } from "@/testing/audit-entries";
import { daysAgo, roles } from "@/testing/chain";
import {
  call,
  createApiKey,
  createDevice,
  createOrg,
  createPartner,
  createUser,
  ctxFor,
  type TestApiKey,
  type TestPartner,
  type TestUser,
} from "@/testing/factories";
import { countChains, listOverview } from "./list";
import { type OrganizationOverview, overviewInput } from "./schema";

const RESULTS = ["success", "success", "success", "failure", "denied"] as const;
const at = (days: number) => new Date(daysAgo(days));

/** A repeatable fraction from 0 to 1. */
function fractions(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** An organization with a distinct history: entries out of order, some signed, some verified, devices. */
async function anyOrg(partnerId: string, seed: number): Promise<string> {
  const { id } = await createOrg({ partnerId, name: `Any ${seed}` });
  const next = fractions(seed);
  const events = (n: number, within: number) =>
    Array.from({ length: n }, () => ({
      orgId: id,
      timestamp: at(next() * within),
      result: RESULTS[Math.floor(next() * RESULTS.length)] ?? "success",
    }));
  await appendEvents(events(Math.floor(next() * 40), 60));
  if (seed % 4 !== 0) await signCheckpoint(id, { now: at([0, 0, 10, 40][seed % 4] ?? 0) });
  await appendEvents(events(Math.floor(next() * 30), 2));
  if (seed % 3 === 0) await verifyNightly(id);
  if (seed % 5 === 0) await roles.owner`DELETE FROM audit_retention_policies WHERE org_id = ${id}`;
  else
    await roles.owner`UPDATE audit_retention_policies SET retention_days = ${1 + Math.floor(next() * 400)} WHERE org_id = ${id}`;
  for (const lastSeenAt of [new Date(), at(0.5), at(3)].slice(seed % 4)) await createDevice({ orgId: id, lastSeenAt });
  return id;
}

type Naive = { entries: number; oldest: string | null; failures: number; denied: number; week: number | null };

/** Every number by reading every row. */
async function naive(orgId: string): Promise<Naive> {
  const [row] = await roles.admin<Naive[]>`
    SELECT count(*)::int AS entries, to_char(min("timestamp") AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS oldest,
      count(*) FILTER (WHERE result = 'failure' AND "timestamp" > now() - interval '24 hours')::int AS failures,
      count(*) FILTER (WHERE result = 'denied' AND "timestamp" > now() - interval '24 hours')::int AS denied, 0 AS week
    FROM audit_logs WHERE org_id = ${orgId}`;
  const [week] = await roles.owner<{ entries: number }[]>`
    SELECT count(*)::int AS entries FROM audit_logs a WHERE a.org_id = ${orgId} AND a.chain_seq > coalesce((
      SELECT max(size) FROM audit_notes n
      WHERE n.org_id = ${orgId} AND n.kind = 'checkpoint' AND n.signed_at <= now() - interval '7 days'), 0)`;
  if (!row || !week) throw new Error("nothing was counted");
  return { ...row, week: week.entries };
}

async function expectTrue(ctx: Ctx, row: OrganizationOverview): Promise<void> {
  const { orgId } = row;
  const counted = await naive(orgId);
  const { entries, oldestAt, failures, denied, growth } = row;
  expect({ entries, oldest: oldestAt, failures, denied, week: growth.week?.entries }).toEqual(counted);

  const { state, last, anchored } = await getIntegrityStatus.run(ctx, { orgId });
  const isUnread = state.status === "unproven" && !last && !anchored?.seq;
  expect(row.chain.status).toBe(isUnread ? "not_checked" : state.status);
  expect(row.chain).toMatchObject({ throughSeq: state.throughSeq, entriesUnread: state.rowsUnread });
  expect(row.chain.lastCheckedAt).toBe(last?.ranAt ?? null);
  expect(row.chain.lastCheckedEntries).toBe(last?.rowsChecked ?? null);
  expect(row.checkpoint && { seq: row.checkpoint.seq, signedAt: row.checkpoint.signedAt }).toEqual(anchored);

  const { retentionDays } = row.retention;
  const due = retentionDays === null ? 0 : (await previewPruning.run(ctx, { id: orgId, retentionDays })).rows;
  expect(row.retention.isDue).toBe(due > 0);

  const devices = await listDevices.run(
    { ...ctx, scope: { kind: "organization", orgIds: [orgId], partnerId: "" } },
    listInput.parse({}),
  );
  const online = devices.data.filter((device) => device.online).length;
  const silent = devices.data.filter(({ lastSeenAt }) => Date.parse(lastSeenAt ?? "") < Date.now() - 86_400_000).length;
  expect(row.devices).toEqual({ online, offline: devices.data.length - online, silent });
}

describe("overview of all organizations", () => {
  it("matches values computed from every row", async () => {
    const partner = await createPartner();
    const ids = [];
    for (let seed = 1; seed <= 16; seed++) ids.push(await anyOrg(partner.id, seed));
    const admin = await ctxFor(await createUser({ role: "partner_admin", partnerId: partner.id }));
    const { data, pagination } = await listOverview.run(admin, overviewInput.parse({}));
    expect(pagination.total).toBe(17);
    expect(data.map(({ orgId }) => orgId).sort()).toEqual([partner.homeOrgId, ...ids].sort());
    for (const row of data) await expectTrue(admin, row);
    expect(new Set(data.map(({ chain }) => chain.status))).toEqual(
      new Set(["intact", "unproven", "not_checked", "empty"]),
    );
    await raiseAlarm({ orgId: ids[0] ?? "", at: new Date().toISOString(), source: "nightly", breaks: [] });
    const now = (await listOverview.run(admin, overviewInput.parse({}))).data.map(({ chain }) => chain.status);
    const counted = await countChains.run(admin, undefined);
    expect(counted).toEqual(
      (["broken", "unproven", "not_checked", "intact", "empty"] as const).map((status) => ({
        status,
        count: now.filter((one) => one === status).length,
      })),
    );
    expect(counted[0]).toEqual({ status: "broken", count: 1 });
    const own = await ctxFor(await createUser({ role: "org_viewer", orgId: ids[0] ?? "" }));
    expect((await countChains.run(own, undefined)).filter(({ count }) => count > 0)).toEqual([
      { status: "broken", count: 1 },
    ]);
  });

  it("returns more organizations than one statement reads, each once", async () => {
    const partner = await createPartner();
    await Promise.all(Array.from({ length: 205 }, (_, i) => createOrg({ partnerId: partner.id, name: `Many ${i}` })));
    const token = await createUser({ role: "partner_admin", partnerId: partner.id });
    const { body } = await call(token, "GET /orgs/overview?limit=1000&sort=name");
    expect(new Set(body.data.map(({ orgId }: OrganizationOverview) => orgId)).size).toBe(206);
    const names = body.data.map(({ name }: OrganizationOverview) => name);
    expect(names.slice(0, 3)).toEqual(["Many 0", "Many 1", "Many 2"]);
    const second = await call(token, "GET /orgs/overview?limit=100&page=3&sort=name");
    expect(second.body.data).toHaveLength(6);
    expect(second.body.pagination).toEqual({ page: 3, limit: 100, total: 206, totalPages: 3 });
  });
});

it("fits a thousand customers plus the partner's staff on one page", () => {
  const orgId = Array.from({ length: 1_001 }, () => crypto.randomUUID());
  expect(overviewInput.parse({ limit: "1001" }).limit).toBe(orgId.length);
  expect(overviewInput.safeParse({ limit: "1002" }).success).toBe(false);
  expect(manyInput.safeParse({ orgId, retentionDays: 365 }).success).toBe(true);
});

describe("organizations that need attention", () => {
  let partner: TestPartner;
  let admin: TestUser;
  const id: Record<string, string> = {};
  beforeAll(async () => {
    partner = await createPartner({ name: "Zz home" });
    admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    for (const name of ["Fine", "Broken", "Unread", "Short", "Forever", "Silent"])
      id[name] = (await createOrg({ partnerId: partner.id, name })).id;
    const { Fine = "", Broken = "", Unread = "", Short = "", Forever = "", Silent = "" } = id;
    for (const orgId of [Fine, Broken, Unread]) await appendEvents([{ orgId }, { orgId }]);
    for (const orgId of [Fine, Broken]) await verifyNightly(orgId);
    await raiseAlarm({ orgId: Broken, at: new Date().toISOString(), source: "on demand", breaks: [] });
    await roles.owner`UPDATE audit_retention_policies SET retention_days = 90 WHERE org_id IN (${Short}, ${Broken})`;
    await roles.owner`DELETE FROM audit_retention_policies WHERE org_id = ${Forever}`;
    await createDevice({ orgId: Silent, lastSeenAt: at(2) });
    await createDevice({ orgId: Silent, lastSeenAt: at(2), revoked: true });
    await createDevice({ orgId: Fine, lastSeenAt: new Date() });
  });
  const ask = async (query = "", token: TestUser | TestApiKey = admin) =>
    (await call(token, `GET /orgs/overview?${query}`)).body;
  const words = (rows: OrganizationOverview[]) =>
    rows.map(({ name, attention }) => [name, ...attention.map((a) => a.text)]);

  it("come first, worst first, with reasons", async () => {
    const { data, counts } = await ask();
    expect(words(data)).toEqual([
      ["Broken", "Chain broken", "Retention 90 days"],
      ["Unread", "Chain not checked yet"],
      ["Forever", "No retention policy"],
      ["Short", "Retention 90 days"],
      ["Silent", "1 device offline for 24 h"],
      ["Fine"],
      ["Zz home"],
    ]);
    expect(counts).toEqual({ organizations: 7, attention: 5, chain: 2, retention: 3, silent: 1, broken: 1 });
  });

  it("are filtered by reason: chain or retention", async () => {
    const names = async (query: string) => words((await ask(query)).data).map(([name]) => name);
    expect(await names("show=chain")).toEqual(["Broken", "Unread"]);
    expect(await names("show=retention")).toEqual(["Broken", "Forever", "Short"]);
    expect(await names("show=chain,retention")).toEqual(["Broken", "Unread", "Forever", "Short"]);
    expect(await names("show=chain&search=READ")).toEqual(["Unread"]);
    expect(await names("search=none+such")).toEqual([]);
    expect((await names("sort=name&order=desc"))[0]).toBe("Zz home");
    expect((await names("sort=retention"))[0]).toBe("Forever");
  });

  it("are limited to the caller's organizations and permissions", async () => {
    const limited = await createUser({
      role: "partner_technician",
      partnerId: partner.id,
      organizationIds: [id.Broken ?? "", id.Silent ?? ""],
    });
    expect(words((await ask("", limited)).data).map(([name]) => name)).toEqual(["Broken", "Silent"]);
    const viewer = await createUser({ role: "org_viewer", orgId: id.Short ?? "" });
    expect(words((await ask("", viewer)).data)).toEqual([["Short", "Retention 90 days"]]);
    const stranger = await createUser({ role: "partner_admin" });
    expect((await ask("", stranger)).counts).toMatchObject({ organizations: 1, broken: 0 });

    const key = await createApiKey({ partnerId: partner.id, permissions: ["audit:read"] });
    const { data } = await ask(`orgId=${id.Silent}`, key);
    expect(data).toMatchObject([{ name: "Silent", devices: null, attention: [] }]);
  });
});

it("lists each organization's active streams, including the partner's", async () => {
  const partner = await createPartner();
  const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
  const one = await createOrg({ partnerId: partner.id, name: "One" });
  await createOrg({ partnerId: partner.id, name: "Two" });
  const add = async (host: string, orgId?: string) => {
    const body = { name: host, kind: "https", config: { url: `https://${host}/in?token=s3cr3t` }, orgId };
    const added = await call(admin, "POST /streams", body);
    expect(added.status, added.text).toBe(201);
    return added.body.id as string;
  };
  const start = (id: string) => call(admin, `POST /streams/${id}/resume`);
  await start(await add("all.example.com"));
  await start(await add("one.example.com", one.id));
  await add("draft.example.com", one.id);
  const leaving = async (token: TestUser) => {
    const { body } = await call(token, "GET /orgs/overview");
    const rows: OrganizationOverview[] = body.data;
    return Object.fromEntries(rows.map(({ name, leavesTo }) => [name, leavesTo.map(({ target }) => target)]));
  };
  const seen = await leaving(admin);
  expect(seen).toMatchObject({ One: ["all.example.com", "one.example.com"], Two: ["all.example.com"] });
  const viewer = await createUser({ role: "org_viewer", orgId: one.id });
  expect(await leaving(viewer)).toEqual({ One: ["all.example.com", "one.example.com"] });
  const stranger = await createUser({ role: "partner_admin" });
  expect(Object.values(await leaving(stranger)).flat()).toEqual([]);
});
