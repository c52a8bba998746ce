import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SECURITY_ACTIONS } from "@/server/audit/actions";
import type { RowInput } from "@/server/audit/record/to-row";
import type { Ctx } from "@/server/ground/context";
import { appendEvents } from "@/testing/audit-entries";
import { createOrg, createUser, ctxFor, type TestUser } from "@/testing/factories";
import { advanceIndex } from "@/testing/search/advance-index";
import { wholeSecurityEvents, wholeStatistics, wholeUserActivity } from "./whole-reports";

const START = Date.UTC(2026, 6, 1);
const ROWS = 6_200;
const STEP_MS = 97_531;

/** More rows than the reports of the API read, in part tallied. */
describe("reports over all entries", () => {
  let ctx: Ctx;
  let jane: TestUser;
  let rows: RowInput[];

  beforeAll(async () => {
    const { id: orgId } = await createOrg();
    jane = await createUser({ orgId, role: "org_admin", name: "Jane" });
    ctx = await ctxFor(jane);
    rows = await appendEvents(
      Array.from({ length: ROWS }, (_, n) => ({
        orgId,
        timestamp: new Date(START + ((n * 7919) % ROWS) * STEP_MS),
        action: ["user.login", "device.update", "policy.update"][n % 3] as string,
        ipAddress: `198.51.100.${n % 7}`,
        ...(n % 4
          ? { actorType: "user" as const, actorId: jane.id, actorEmail: jane.email }
          : { actorType: "agent" as const, actorId: `agent-${n % 8}` }),
      })),
    );
    while (((await advanceIndex(orgId)) ?? 0) > 0);
  });

  const moment = fc.integer({ min: -5, max: 180 }).map((hour) => new Date(START + hour * 3_600_000 + 1_234));
  const range = fc
    .record({ from: moment, to: moment }, { requiredKeys: [] })
    .filter(({ from, to }) => !from || !to || from <= to);

  const within = ({ from, to }: { from?: Date | undefined; to?: Date | undefined }) =>
    rows.filter(({ timestamp }) => (!from || timestamp >= from) && (!to || timestamp <= to));

  it("match a row count for any time range", async () => {
    await fc.assert(
      fc.asyncProperty(range, async (asked) => {
        const expected = within(asked);
        const activity = await wholeUserActivity.run(ctx, asked);
        expect(activity.totalEvents).toBe(expected.length);
        const actors = new Map<unknown, RowInput[]>();
        for (const row of expected) actors.set(row.actorId, [...(actors.get(row.actorId) ?? []), row]);
        expect(new Map(activity.actionsPerUser.map((user) => [user.userId, user.actionCount]))).toEqual(
          new Map([...actors].map(([id, list]) => [id, list.length])),
        );
        for (const user of activity.actionsPerUser) {
          const last = Math.max(...(actors.get(user.userId) ?? []).map((row) => row.timestamp.getTime()));
          expect(user.lastActiveAt).toBe(new Date(last).toISOString());
        }
        const hours = new Array<number>(24).fill(0);
        for (const { timestamp } of expected)
          hours[(timestamp.getUTCHours() + 5) % 24] = (hours[(timestamp.getUTCHours() + 5) % 24] ?? 0) + 1;
        const own = { ...asked, only: "people" as const, zone: "Asia/Karachi" };
        const people = expected.filter(({ actorType }) => actorType === "user");
        expect(await wholeUserActivity.run(ctx, own)).toMatchObject({ totalEvents: people.length, denied: [] });
        expect((await wholeUserActivity.run(ctx, { ...asked, zone: "Asia/Karachi" })).byHour).toEqual(hours);
        const security = await wholeSecurityEvents.run(ctx, asked);
        expect(security.totalEvents).toBe(expected.filter((row) => SECURITY_ACTIONS.includes(row.action)).length);
        expect(security.loginAttempts).toBe(expected.filter((row) => row.action === "user.login").length);
      }),
      { numRuns: 25 },
    );
  });

  it("security events count entries from an address that is new for the person", async () => {
    expect(await wholeSecurityEvents.run(ctx, {})).toMatchObject({ newAddresses: 7 });
    const later = { from: new Date(START + 3_000 * STEP_MS) };
    expect((await wholeSecurityEvents.run(ctx, later)).newAddresses).toBe(4);
  });

  it("compare with the preceding range of equal length", async () => {
    const asked = { from: new Date(START + 50 * 3_600_000), to: new Date(START + 70 * 3_600_000) };
    const earlier = { from: new Date(START + 30 * 3_600_000), to: new Date(asked.from.getTime() - 1) };
    expect(await wholeStatistics.run(ctx, asked)).toMatchObject({ before: within(earlier).length });
    expect((await wholeStatistics.run(ctx, {})).before).toBeNull();
    const endless = { from: new Date(START), to: new Date("9999-12-31T23:59:59.999Z") };
    expect(await wholeStatistics.run(ctx, endless)).toMatchObject({ totalEvents: ROWS, before: 0 });
  });

  it("distinguish a user without an ID from the system", async () => {
    const { id: orgId } = await createOrg();
    const actorId = "00000000-0000-0000-0000-000000000000";
    await appendEvents([
      { orgId, actorType: "user", actorId },
      { orgId, actorType: "system", actorId },
      { orgId, actorType: "user", actorId },
    ]);
    const own = await ctxFor(await createUser({ orgId }));
    const expected = [
      { userId: actorId, actorType: "user", actionCount: 2 },
      { userId: actorId, actorType: "system", actionCount: 1 },
    ];
    expect((await wholeUserActivity.run(own, {})).actionsPerUser).toMatchObject(expected);
    expect((await wholeStatistics.run(own, {})).byUser).toMatchObject(expected);
  });

  it("name people and agents, only within the caller's organization", async () => {
    const { topUsers } = await wholeUserActivity.run(ctx, {});
    expect(topUsers[0]).toMatchObject({ userId: jane.id, userName: "Jane", userEmail: jane.email });
    expect(topUsers[1]?.userName).toMatch(/^Agent agent-/);
    const stranger = await wholeStatistics.run(await ctxFor("org_viewer"), {});
    expect(stranger).toMatchObject({ totalEvents: 0, byUser: [], byCategory: [] });
  });
});
