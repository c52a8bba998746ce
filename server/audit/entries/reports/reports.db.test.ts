import { describe, expect, it } from "vitest";
import { appendEvents } from "@/testing/audit-entries";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { complianceReport, securityReport, statistics, userActivityReport } from "./report-schema";
import { getStatistics, reportCompliance, reportSecurityEvents, reportUserActivity } from "./reports";

async function story() {
  const org = await createOrg();
  const [jane, joe] = [
    await createUser({ orgId: org.id, role: "org_admin", name: "Jane" }),
    await createUser({ orgId: org.id, role: "org_viewer", name: "Joe" }),
  ];
  const by = (user: typeof jane, action: string, minute: number) => ({
    orgId: org.id,
    actorType: "user" as const,
    actorId: user.id,
    actorEmail: user.email,
    action,
    resourceType: "x",
    timestamp: new Date(Date.UTC(2026, 9, 1, 8, minute)),
  });
  const agent = (id: string, minute: number) => ({
    orgId: org.id,
    actorType: "agent" as const,
    actorId: id,
    action: "agent.eventlogs.submit",
    resourceType: "device",
    timestamp: new Date(Date.UTC(2026, 9, 1, 8, minute)),
  });
  await appendEvents([
    by(jane, "user.login", 1),
    by(joe, "user.login.failed", 2),
    by(joe, "user.login", 3),
    by(jane, "user.permission.change", 4),
    by(jane, "policy.update", 5),
    by(jane, "policy.delete", 6),
    by(joe, "data.access", 7),
    by(joe, "data.export", 8),
    by(jane, "device.create", 9),
    agent("agent-one", 10),
    agent("agent-one", 11),
    agent("agent-two", 12),
    agent("agent-one", 13),
    by(jane, "agent.source.ip.changed", 14),
  ]);
  return { ctx: await ctxFor(jane), jane, joe };
}

describe("reports", () => {
  it("count each actor separately, including actors without a UUID", async () => {
    const { ctx, jane, joe } = await story();
    const report = userActivityReport.parse(await reportUserActivity.run(ctx, { routine: "with" }));
    expect(report).toMatchObject({ totalUsers: 4, totalEvents: 14, truncated: false });
    expect(report.actionsPerUser.map((u) => [u.userId, u.actionCount])).toEqual([
      [jane.id, 6],
      [joe.id, 4],
      ["agent-one", 3],
      ["agent-two", 1],
    ]);
    expect(report.actionsPerUser[0]).toMatchObject({
      userName: "Jane",
      userEmail: jane.email,
      lastActiveAt: "2026-10-01T08:14:00.000Z",
    });
    expect(report.topUsers).toHaveLength(4);
    expect(report.recentActivity).toHaveLength(10);
    expect(report.recentActivity[0]?.action).toBe("agent.source.ip.changed");
  });

  it("show the newest address of an actor", async () => {
    const { id: orgId } = await createOrg();
    const jane = await createUser({ orgId, role: "org_admin" });
    const at = (actorEmail: string | null, minute: number) => ({
      ...{ orgId, actorType: "user" as const, actorId: jane.id, actorEmail, action: "data.access", resourceType: "x" },
      timestamp: new Date(Date.UTC(2026, 9, 1, 8, minute)),
    });
    await appendEvents([at("zoe@before.example", 1), at("jane@now.example", 2), at(null, 3)]);
    const report = await reportUserActivity.run(await ctxFor(jane), { routine: "with" });
    expect(report).toMatchObject({ actionsPerUser: [{ userEmail: "jane@now.example", actionCount: 3 }] });
  });

  it("security events include only security actions", async () => {
    const report = securityReport.parse(await reportSecurityEvents.run((await story()).ctx, {}));
    expect(report).toMatchObject({ totalEvents: 6, loginAttempts: 3, failedLogins: 1, permissionChanges: 1 });
    expect(report.byAction[0]).toEqual({ action: "user.login", count: 2 });
    expect(report.byAction.map((a) => a.action).sort()).toEqual([
      "agent.source.ip.changed",
      "policy.update",
      "user.login",
      "user.login.failed",
      "user.permission.change",
    ]);
  });

  it("compliance counts access and exports, and all other actions as changes", async () => {
    const report = complianceReport.parse(await reportCompliance.run((await story()).ctx, {}));
    expect(report).toMatchObject({ totalEvents: 4, dataAccess: 1, exports: 1, dataChanges: 2 });
  });

  it("statistics sum by category and actor within the range", async () => {
    const { ctx } = await story();
    const all = statistics.parse(await getStatistics.run(ctx, {}));
    expect(all.range).toEqual({ from: null, to: null });
    expect(all.byCategory[0]).toEqual({ category: "system", count: 5 });
    expect(all.byCategory.reduce((n, c) => n + c.count, 0)).toBe(14);
    const ranged = statistics.parse(
      await getStatistics.run(ctx, { from: new Date("2026-10-01T08:02:00Z"), to: new Date("2026-10-01T08:03:00Z") }),
    );
    expect(ranged).toMatchObject({
      totalEvents: 2,
      range: { from: "2026-10-01T08:02:00.000Z" },
      from: "2026-10-01T08:02:00.000Z",
      to: "2026-10-01T08:03:00.000Z",
    });
  });

  it("stop at the newest 5,000 relevant rows and say so", async () => {
    const { id } = await createOrg();
    const ctx = await ctxFor(await createUser({ orgId: id }));
    await appendEvents(
      Array.from({ length: 5_001 }, (_, i) => ({ orgId: id, action: i === 0 ? "user.login" : "device.update" })),
    );
    const statistics = await getStatistics.run(ctx, {});
    expect(Object.entries(statistics).slice(0, 2)).toEqual([
      ["totalEvents", 5_000],
      ["truncated", true],
    ]);
    expect(await reportSecurityEvents.run(ctx, {})).toMatchObject({
      totalEvents: 1,
      truncated: false,
      loginAttempts: 1,
    });
  });

  it("count only the caller's organization", async () => {
    await story();
    expect(await reportUserActivity.run(await ctxFor("org_viewer"), { routine: "with" })).toMatchObject({
      totalEvents: 0,
      totalUsers: 0,
      from: null,
      to: null,
    });
  });
});
