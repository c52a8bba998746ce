import { beforeAll, describe, expect, it } from "vitest";
import { listFullEntries } from "@/server/audit/entries/list";
import { withSubmitter } from "@/server/audit/provenance";
import type { RowInput } from "@/server/audit/record/to-row";
import { type FullEntry, filterInput, listInput } from "@/server/audit/schema";
import type { Ctx } from "@/server/ground/context";
import { appendEvents } from "@/testing/audit-entries";
import { call, createDevice, createOrg, createPartner, createUser, ctxFor, type TestUser } from "@/testing/factories";
import { advanceIndex } from "@/testing/search/advance-index";

type Row = RowInput & { orgId: string };
const START = Date.UTC(2026, 2, 1);
const ROWS = 900;
const isSubmitted = (n: number) => n % 9 === 2;

describe("viewer filters", () => {
  let ctx: Ctx;
  let admin: TestUser;
  let orgIds: [string, string];
  let device: { id: string; agentId: string };
  let rows: Row[];

  beforeAll(async () => {
    const partner = await createPartner();
    orgIds = [(await createOrg({ partnerId: partner.id })).id, (await createOrg({ partnerId: partner.id })).id];
    device = await createDevice({ orgId: orgIds[0], hostname: "LAB-7" });
    admin = await createUser({ partnerId: partner.id, role: "partner_admin" });
    ctx = await ctxFor(admin);
    rows = (await appendEvents(
      Array.from({ length: ROWS }, (_, n) => ({
        orgId: orgIds[n % 4 ? 0 : 1],
        timestamp: new Date(START + n * 60_000),
        action: ["user.login", "device.update", "policy.update", "script.run"][n % 7 > 3 ? 0 : n % 7] as string,
        result: n % 11 ? ("success" as const) : ("denied" as const),
        resourceType: n % 5 ? "device" : "policy",
        resourceName: n % 5 ? `WS-${n % 13}` : "Baseline",
        ipAddress: n % 3 ? `10.0.${n % 17}.9` : n % 2 ? null : "2001:db8::1",
        actorType: n % 6 ? ("user" as const) : ("agent" as const),
        actorId: n % 6 ? admin.id : n % 12 ? device.agentId : "bot-7",
        ...(isSubmitted(n) && { details: withSubmitter(null, { id: device.id, name: "Billing" }) }),
        ...(n % 100 === 7 && { ipAddress: n % 200 === 7 ? "fd12:3456::9" : "198.51.100.7" }),
        ...(n % 100 === 9 && {
          ipAddress: n % 200 === 9 ? "::ffff:10.0.3.7" : "fe80::1%eth0",
          resourceName: "Cafe\u0301",
        }),
        ...(n % 100 === 1 && { resourceType: "script", resourceId: device.id, resourceName: "Clean up" }),
      })),
    )) as Row[];
  });

  const agentOfLab = (row: Row) => row.actorId === device.agentId;
  const isV4 = ({ ipAddress }: Row, beginning: string) =>
    Boolean(ipAddress?.includes(".") && ipAddress.replace("::ffff:", "").startsWith(beginning));
  const CASES: [query: string, holds: (row: Row) => boolean][] = [
    ["actions=user.login,script.run", (row) => ["user.login", "script.run"].includes(row.action)],
    ["actions=", () => true],
    ["submitted=true", ({ details }) => details != null],
    ["submitted=false", ({ details }) => details == null],
    ["submitted=true,false", () => true],
    ["submitted=false&result=denied", ({ details, result }) => details == null && result === "denied"],
    ["resourceType=policy", (row) => row.resourceType === "policy"],
    ["ip=10.0.1.9", (row) => row.ipAddress === "10.0.1.9"],
    ["ip=10.0.1", (row) => isV4(row, "10.0.1")],
    ["ip=2001:db8::1", (row) => row.ipAddress === "2001:db8::1"],
    ["ip=192.168.", () => false],
    ["ip=10.0.", (row) => isV4(row, "10.")],
    ["ip=2001:d", (row) => Boolean(row.ipAddress?.startsWith("2001"))],
    ["device=ws-1", (row) => row.resourceType === "device" && Boolean(row.resourceName?.startsWith("WS-1"))],
    ["device=lab", (row) => row.resourceId === device.id || agentOfLab(row)],
    ["device=nowhere", () => false],
    ["ip=10.0.0.0/9", (row) => isV4(row, "10.")],
    ["ip=0.0.0.0/0", (row) => isV4(row, "")],
    ["ip=10.0.3.7", (row) => row.ipAddress === "::ffff:10.0.3.7"],
    ["ip=::ffff:10.0.1.9", (row) => row.ipAddress === "10.0.1.9"],
    ["ip=fe80::1", (row) => row.ipAddress === "fe80::1%eth0"],
    ["ip=fe80:0::1%en1", (row) => row.ipAddress === "fe80::1%eth0"],
    ["resource=caf\u00c9", (row) => row.resourceName === "Cafe\u0301"],
    ["resource=cafe\u0301", (row) => row.resourceName === "Cafe\u0301"],
    ["q=CAF\u00c9", (row) => row.resourceName === "Cafe\u0301"],
    ["ip=128.0.0.0/1", (row) => row.ipAddress === "198.51.100.7"],
    ["ip=fc00::/7", (row) => row.ipAddress === "fd12:3456::9"],
    ["ip=10.0.3.0/24,10.0.4.9/32", (row) => /10\.0\.(3\.[79]|4\.9)$/.test(row.ipAddress ?? "")],
    ["ip=2001:DB8::/32", (row) => row.ipAddress === "2001:db8::1"],
    ["ip=2001:0db8:0:0::1", (row) => row.ipAddress === "2001:db8::1"],
    ["exclude=ip:10.0.0.0/8", (row) => !isV4(row, "10.")],
    ["result=denied,failure", (row) => row.result !== "success"],
    ["action=login,script", (row) => /login|script/.test(row.action)],
    ["resource=baseline,WS-3", (row) => /^(Baseline|WS-3)$/.test(row.resourceName ?? "")],
    ["device=ws-2,lab", (row) => row.resourceName === "WS-2" || row.resourceId === device.id || agentOfLab(row)],
    ["category=policy,authentication", (row) => /^(policy|user)/.test(row.action)],
    ["user=agent", (row) => row.actorType === "agent"],
    ["user=lab-7", agentOfLab],
    ["user=Agent (LAB-7)", agentOfLab],
    ["user=agent on lab", agentOfLab],
    ["exclude=user:lab-7&resourceType=device", (row) => !agentOfLab(row) && row.resourceType === "device"],
    ["rawActorId=bot-7", (row) => row.actorId === "bot-7"],
    ["exclude=result:success", (row) => row.result !== "success"],
    ["exclude=actorType:user", (row) => row.actorType !== "user"],
    ["exclude=category:authentication,category:policy", (row) => /^(device|script)/.test(row.action)],
    [
      "exclude=resourceType:device,ip:2001:db8::1",
      (row) => row.resourceType !== "device" && row.ipAddress !== "2001:db8::1",
    ],
    ["exclude=actorId:bot-7", (row) => row.actorId !== "bot-7"],
    [
      "exclude=result:success,result:failure&device=WS-2",
      (row) => row.result === "denied" && row.resourceName === "WS-2",
    ],
    [
      "resourceType=script&exclude=actorType:agent&excludeActions=user.login",
      (row) => row.resourceType === "script" && row.actorType === "user" && row.action !== "user.login",
    ],
  ]; // prettier-ignore

  /** Every match by pages, the total, and what a naive look at the rows says. */
  async function compare(query: string, holds: (row: Row) => boolean) {
    const input = listInput.parse({ ...Object.fromEntries(new URLSearchParams(query)), limit: 100 });
    const expected = rows
      .filter(holds)
      .map((row) => row.id)
      .reverse(); // prettier-ignore
    const seen: FullEntry[] = [];
    let cursor: string | undefined;
    do {
      const page = await listFullEntries.run(ctx, { ...input, ...(cursor && { cursor }) });
      seen.push(...page.data);
      if (!cursor) expect(page.pagination.total).toBe(expected.length);
      cursor = page.pagination.nextCursor ?? undefined;
    } while (cursor);
    expect(seen.map((entry) => entry.id)).toEqual(expected);
  }

  it("return exactly the matching rows before indexing", async () => {
    for (const [query, holds] of CASES) await compare(query, holds);
  });

  it("return exactly the matching rows with a full or partial index", async () => {
    for (const orgId of orgIds) await advanceIndex(orgId, 400);
    for (const [query, holds] of CASES) await compare(query, holds);
    for (const orgId of orgIds) await advanceIndex(orgId);
    for (const [query, holds] of CASES) await compare(query, holds);
  });

  it("exclude the listed organizations and people", async () => {
    await compare(`exclude=orgId:${orgIds[0]}`, (row) => row.orgId !== orgIds[0]);
    await compare(`exclude=actorId:${admin.id}`, (row) => row.actorId !== admin.id);
  });

  it("do not match another tenant's devices", async () => {
    const stranger = await ctxFor("org_admin");
    const page = await listFullEntries.run(stranger, listInput.parse({ device: "LAB-7" }));
    expect(page.data).toEqual([]);
  });

  it("accept a repeated parameter and reject an invalid network", async () => {
    const again = await call(admin, "GET /audit-logs/logs?result=denied&result=failure&limit=1");
    expect(again.body.pagination.total).toBe(rows.filter((row) => row.result !== "success").length);
    const twice = await call(admin, "GET /audit-logs/logs?limit=1&limit=2");
    expect([twice.status, twice.body.errors[0].path]).toEqual([400, "limit"]);
    const none = await call(admin, "GET /audit-logs/logs?ip=10.0.0.0/33");
    expect([none.status, none.body.errors[0].path]).toEqual([400, "ip"]);
    const odd = await call(admin, "GET /audit-logs/logs?result=denied,odd");
    expect([odd.status, odd.body.errors[0].path]).toEqual([400, "result"]);
    const several = await call(admin, `GET /audit-logs/logs?orgId=${orgIds.join(",")}&limit=1`);
    expect(several.body.pagination.total).toBe(rows.length);
  });

  it("reject a field that cannot be excluded, by name", async () => {
    const { status, body } = await call(admin, "GET /audit-logs/logs?exclude=colour:red");
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe("exclude");
    expect(filterInput.safeParse({ exclude: ["result:"] }).success).toBe(false);
  });
});
