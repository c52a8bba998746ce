import { beforeAll, describe, expect, it } from "vitest";
import { withSubmitter } from "@/server/audit/provenance";
import { sentenceText } from "@/server/audit/sentence";
import { newId } from "@/server/ground/ids";
import { appendEvents } from "@/testing/audit-entries";
import { call, createUser, ctxFor, type TestUser } from "@/testing/factories";
import { wholeSecurityEvents, wholeUserActivity } from "./reports/whole-reports";

const BILLING = { id: newId(), name: "Billing, EU" };
const submittedBy = { keyId: BILLING.id, name: BILLING.name };
const FROM = "2026-10-01T00:00:00.000Z";
const TO = "2026-10-02T00:00:00.000Z";

describe("provenance of an entry", () => {
  let jane: TestUser;
  beforeAll(async () => {
    jane = await createUser({ role: "org_admin", name: "Jane Doe" });
    const base = { orgId: jane.orgId as string, actorType: "user" as const, actorId: jane.id };
    const at = (minute: number) => ({ timestamp: new Date(Date.parse(FROM) + minute * 60_000) });
    await appendEvents([
      { ...base, ...at(1), action: "device.create", resourceName: "WS-1" },
      { ...base, ...at(2), action: "device.create", resourceName: "WS-2", details: withSubmitter(null, BILLING) },
      { ...base, ...at(3), action: "user.login", details: withSubmitter({ mfa: true }, BILLING) },
      { ...base, ...at(4), action: "user.login" },
      { ...base, ...at(5), action: "agent.heartbeat", actorType: "agent" },
    ]);
  });
  const ask = (path: string, query = "") => call(jane, `GET /audit-logs${path}?from=${FROM}&to=${TO}${query}`);

  it("appears in both list formats and works as a filter", async () => {
    const flat = (await ask("")).body.entries;
    expect(flat.map((entry: { submittedBy: unknown }) => entry.submittedBy)).toEqual([
      null,
      null,
      submittedBy,
      submittedBy,
      null,
    ]);
    const named = async (query: string) =>
      (await ask("/logs", query)).body.data.map((entry: { chainSeq: number }) => entry.chainSeq);
    expect(await named("&submitted=true")).toEqual([3, 2]);
    expect(await named("&submitted=false")).toEqual([5, 4, 1]);
    expect((await ask("/logs", "&submitted=true&limit=1")).body.pagination).toMatchObject({ total: 2, totalPages: 2 });
    expect((await ask("/logs", "&submitted=maybe")).status).toBe(400);
  });

  it("is the last CSV column and a member of JSON exports", async () => {
    const lines = (await ask("/export", "&submitted=true&action=login")).text.trim().split("\r\n");
    expect(lines[0]).toMatch(/,userAgent,details,submittedBy$/);
    expect(lines[1]).toContain(`,"${BILLING.name} (${BILLING.id})"`);
    const body = { dateRange: { from: FROM, to: TO }, filters: { submitted: "true" } };
    const { data } = (await call(jane, "POST /audit-logs/export", body)).body;
    expect(data.map((entry: { submittedBy: unknown }) => entry.submittedBy)).toEqual([submittedBy, submittedBy]);
  });

  it("comes first in the sentence of an entry", async () => {
    const { data } = (await ask("/logs", "&action=device.create")).body;
    expect(data.map((entry: Parameters<typeof sentenceText>[0]) => sentenceText(entry))).toEqual([
      "According to key Billing, EU, Jane Doe created device WS-2",
      "Jane Doe created device WS-1",
    ]);
  });

  it("is counted by reports of the newest entries and of all entries", async () => {
    expect((await ask("/reports/user-activity")).body).toMatchObject({ totalEvents: 4, submitted: 2 });
    expect((await ask("/reports/user-activity", "&routine=with")).body).toMatchObject({
      totalEvents: 5,
      submitted: 2,
    });
    const [ctx, range] = [await ctxFor(jane), { from: new Date(FROM), to: new Date(TO) }];
    expect(await wholeUserActivity.run(ctx, range)).toMatchObject({ totalEvents: 5, submitted: 2 });
    expect(await wholeSecurityEvents.run(ctx, range)).toMatchObject({ totalEvents: 2, submitted: 1 });
  });
});
