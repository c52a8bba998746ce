import { beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "@/server/ground/context";
import { toWallClock } from "@/server/ground/time/wall-clock";
import { appendEvents, type TestEvent } from "@/testing/audit-entries";
import { createOrg, createPartner, createUser, ctxFor, type TestOrg, type TestUser } from "@/testing/factories";
import { advanceIndex } from "@/testing/search/advance-index";
import { unhurried } from "@/testing/unhurried";
import { getFacets } from "./facets";
import { facets, histogram } from "./facets-schema";
import { getHistogram } from "./histogram";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 3, 1);

describe("facets and histogram", () => {
  let orgs: TestOrg[];
  let jane: TestUser;
  let ctx: Ctx;
  let rows: TestEvent[];

  beforeAll(async () => {
    const partner = await createPartner();
    orgs = [await createOrg({ partnerId: partner.id, name: "First" }), await createOrg({ partnerId: partner.id })];
    jane = await createUser({ orgId: orgs[0]?.id as string, name: "Jane" });
    ctx = unhurried(await ctxFor(await createUser({ partnerId: partner.id, role: "partner_admin" })));
    rows = Array.from({ length: 3_000 }, (_, n) => ({
      orgId: orgs[n % 5 === 0 ? 1 : 0]?.id as string,
      timestamp: new Date(START + n * HOUR),
      action: n % 3 ? "device.update" : "user.login",
      resourceType: "thing",
      result: n % 10 ? ("success" as const) : ("denied" as const),
      ...(n % 2
        ? { actorType: "user" as const, actorId: jane.id }
        : { actorType: "agent" as const, actorId: "agent-7" }),
    }));
    await appendEvents(rows);
  });

  const counted = (value: (row: TestEvent) => string | undefined | null) => {
    const counts = new Map<string, number>();
    const values = rows.map(value).filter((one) => one !== null);
    for (const one of values) counts.set(one as string, (counts.get(one as string) ?? 0) + 1);
    return Object.fromEntries(counts);
  };
  const asObject = (facet: { value: string; count: number }[]) =>
    Object.fromEntries(facet.map(({ value, count }) => [value, count]));

  it("counts and names the values of every facet", async () => {
    const found = facets.parse(await getFacets.run(ctx, {}));
    expect(found).toMatchObject({ rows: rows.length, truncated: false });
    expect(asObject(found.action)).toEqual(counted((row) => row.action));
    expect(asObject(found.result)).toEqual(counted((row) => row.result));
    expect(asObject(found.organization)).toEqual(counted((row) => row.orgId));
    expect(asObject(found.actor)).toEqual(counted((row) => row.actorId as string));
    expect(asObject(found.firstSeen)).toEqual({});
    expect(found.category.map((c) => c.value)).toEqual(["device", "authentication"]);
    expect(found.organization[0]?.label).toBe("First");
    expect(found.actor.map((a) => a.label).sort()).toEqual(["Agent agent-7", "Jane"]);
    expect(found.action[0]).toMatchObject({ value: "device.update", label: "updated device" });
  });

  it("applies the list filters to facets, even when nothing matches", async () => {
    const denied = await getFacets.run(ctx, { result: ["denied"] });
    expect(asObject(denied.result)).toEqual(counted((row) => row.result));
    expect(asObject(denied.action)).toEqual(counted((row) => (row.result === "denied" ? row.action : null)));
    expect(denied.exact).toContain("actor");
    const both = await getFacets.run(ctx, { actions: ["user.login", "device.update"], category: ["device"] });
    expect(asObject(both.action)).toEqual(counted((row) => (row.action?.startsWith("device") ? row.action : null)));
    expect(await getFacets.run(ctx, { q: "no such thing" })).toMatchObject({ rows: 0, action: [], truncated: false });
    expect(await getFacets.run(await ctxFor("org_viewer"), {})).toMatchObject({ rows: 0, organization: [] });
  });

  it.each([
    ["all time", {}],
    ["a long range", { from: new Date(START + 100.5 * HOUR), to: new Date(START + 1_900.2 * HOUR) }],
    ["a few days", { from: new Date(START + 500.5 * HOUR), to: new Date(START + 540 * HOUR) }],
    ["a range to the last supported time", { from: new Date(START), to: new Date("9999-12-31T23:59:59.999Z") }],
    ["the last hour", { from: new Date("9999-12-31T23:00:00Z"), to: new Date("9999-12-31T23:59:59.999Z") }],
    ["a kind", { action: ["login"], result: ["denied"] }],
    ["an actor", { user: ["jane"] }],
    ["a search", { q: "THING" }],
  ])("histogram counts every matching row before and after indexing: %s", async (_, filter) => {
    const expected = rows.filter((row) => {
      const at = row.timestamp as Date;
      if ("from" in filter && (at < filter.from || at > filter.to)) return false;
      if ("action" in filter && (row.action !== "user.login" || row.result !== "denied")) return false;
      return !("user" in filter) || row.actorType === "user";
    });
    const inUtc = { zone: "UTC", ...filter };
    const drawn = histogram.parse(await getHistogram.run(ctx, inUtc));
    const buckets = new Map<string, number>();
    for (const row of expected) {
      const at = drawn.edges.findLast((edge) => edge <= (row.timestamp as Date).toISOString());
      buckets.set(`${at} ${row.result}`, (buckets.get(`${at} ${row.result}`) ?? 0) + 1);
    }
    const flat = drawn.buckets.flatMap(({ at, ...counts }) =>
      Object.entries(counts)
        .filter(([, n]) => n > 0)
        .map(([result, n]) => [`${at} ${result}`, n] as const),
    ); // prettier-ignore
    expect(Object.fromEntries(flat)).toEqual(Object.fromEntries(buckets));
    expect(drawn.truncated).toBe(false);
    for (const { id } of orgs) while (((await advanceIndex(id)) ?? 0) > 0);
    expect(await getHistogram.run(ctx, inUtc)).toEqual(drawn);
  });

  it.each(["Europe/Berlin", "Asia/Kolkata", "America/New_York"])(
    "starts daily buckets at local midnight in %s",
    async (zone) => {
      const filter = { zone, from: new Date(START + 1_000.5 * HOUR), to: new Date(START + 1_900.2 * HOUR) };
      const expected = new Map<string, number>();
      for (const { timestamp: at, result } of rows as { timestamp: Date; result: string }[]) {
        const key = `${toWallClock(at, zone).slice(0, 10)} ${result}`;
        if (at >= filter.from && at <= filter.to) expected.set(key, (expected.get(key) ?? 0) + 1);
      }
      const { buckets, step, truncated } = await getHistogram.run(ctx, filter);
      const drawn = buckets.flatMap(({ at, success, denied }): [string, number][] => {
        const [day, time] = toWallClock(new Date(at), zone).split("T");
        expect(time).toBe("00:00");
        return [
          [`${day} success`, success],
          [`${day} denied`, denied],
        ];
      });
      expect([step, truncated]).toEqual([{ unit: "day", n: 1 }, false]);
      expect(Object.fromEntries(drawn.filter(([, n]) => n > 0))).toEqual(Object.fromEntries(expected));
    },
  );

  it("still counts unselected organizations, and omits an excluded one", async () => {
    const [first, second] = orgs.map(({ id }) => id) as [string, string];
    const of = (orgId: string) => rows.filter((row) => row.orgId === orgId);
    const chosen = await getFacets.run(ctx, { among: [second] });
    expect(asObject(chosen.organization)).toEqual(counted((row) => row.orgId));
    expect(chosen.rows).toBe(of(second).length);
    const without = await getFacets.run(ctx, { exclude: [`orgId:${first}`] });
    expect(asObject(without.organization)).toEqual({ [second]: of(second).length });
    expect(asObject(without.action)).toEqual(asObject(chosen.action));
    expect(without.exact).toContain("actor");
    const stranger = await ctxFor("org_viewer");
    await expect(getFacets.run(stranger, { among: [first] })).rejects.toMatchObject({ code: "forbidden" });
  });

  it("returns an empty histogram for an organization without rows", async () => {
    expect(await getHistogram.run(await ctxFor("org_viewer"), { zone: "UTC" })).toMatchObject({
      buckets: [],
      from: null,
    });
  });
});

it("returns the 50 most frequent values and reports which facets are cut", async () => {
  const { id: orgId } = await createOrg();
  const ctx = unhurried(await ctxFor(await createUser({ orgId })));
  const rare = Array.from({ length: 51 }, (_, n) => ({
    orgId,
    action: `device.step.${n}`,
    actorType: "agent" as const,
    actorId: `agent-${n}`,
    resourceType: `thing ${n % 50}`,
  }));
  await appendEvents([...rare, ...rare.slice(1)]);
  for (const filter of [{}, { result: ["success" as const] }]) {
    const found = facets.parse(await getFacets.run(ctx, filter));
    for (const name of ["action", "actor"] as const) {
      expect(found[name]).toHaveLength(50);
      expect(found[name].some(({ value }) => value === rare[0]?.action || value === rare[0]?.actorId)).toBe(false);
    }
    expect([found.resourceType.length, found.cut]).toEqual([50, ["action", "actor"]]);
  }
});

it("counts every match beyond the row limit and marks partial facet counts", async () => {
  const { id: orgId } = await createOrg();
  const ctx = unhurried(await ctxFor(await createUser({ orgId })));
  const events = Array.from({ length: 10_300 }, (_, n) => ({
    orgId,
    timestamp: new Date(START + n * 1_000),
    action: n < 200 ? "user.login" : "device.update",
    resourceType: n < 300 ? "old" : "new",
    actorType: "agent" as const,
    actorId: `agent-${n % 2}`,
    resourceName: n % 2 ? "odd" : "even",
    ipAddress: n < 5 ? `203.0.113.${n}` : null,
  }));
  await appendEvents(events);
  for (const state of ["fresh", "indexed"]) {
    if (state === "indexed") while (((await advanceIndex(orgId)) ?? 0) > 0);
    const found = await getFacets.run(ctx, {});
    const of = (facet: { value: string; count: number }[]) => Object.fromEntries(facet.map((f) => [f.value, f.count]));
    expect(of(found.resourceType)).toEqual({ new: 10_000, old: 300 });
    expect(of(found.actor)).toEqual({ "agent-0": 5_150, "agent-1": 5_150 });
    expect(of(found.action)).toEqual({ "device.update": 10_100, "user.login": 200 });
    expect(of(found.firstSeen)).toEqual({ address: 5, network: 2 });
    expect(of((await getFacets.run(ctx, { new: ["network"] })).firstSeen)).toEqual({ address: 5, network: 2 });
    expect([found.rows, found.truncated, found.exact.length]).toEqual([10_300, false, 9]);
    const named = await getFacets.run(ctx, { resourceType: ["new"], action: ["device"] });
    expect(of(named.resourceType)).toEqual({ new: 10_000, old: 100 });
  }
});
