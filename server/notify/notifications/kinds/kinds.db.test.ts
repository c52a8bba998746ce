import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { devices, recordingLosses, webhookEndpoints } from "@/db/schema";
import { raiseAlarm } from "@/server/evidence/integrity/alarm";
import { readState } from "@/server/evidence/integrity/state";
import { reportLosses } from "@/server/notify/notifications/losses";
import type { NotificationKind } from "@/server/notify/vocabulary";
import { appendEvents } from "@/testing/audit-entries";
import { changeRows, createDevice, createOrg, createPartner, rowsIn } from "@/testing/factories";
import { DEFINITIONS } from ".";
import { checkUnprovenChains } from "./chains";
import type { Finding } from "./definition";
import { checkPruning } from "./installation";

const MINUTE = 60_000;
const of = ({ found }: Finding, orgId: string) => found.find((one) => one.orgId === orgId);
const check = async (kind: NotificationKind, orgId: string, now = new Date()) =>
  of(await DEFINITIONS[kind].check(now), orgId);

describe("a lost chain head", () => {
  it("raises only the lost head notification", async () => {
    const { id } = await createOrg();
    const now = new Date();
    await raiseAlarm({ orgId: id, at: now.toISOString(), source: "head", breaks: [] });
    expect(await check("chain.head_lost", id)).toMatchObject({ holds: true });
    expect(await check("chain.broken", id)).toBeUndefined();
  });

  it("also raises a broken chain notification once entries are found altered", async () => {
    const { id } = await createOrg();
    const now = new Date();
    const raise = (
      source: "head" | "nightly" | "on demand",
      found: ("truncated" | "altered")[],
      reading = { isWhole: false },
    ) => {
      const breaks = found.map((kind, i) => ({ seq: 7 + i, id: "", kind, expected: "a", actual: "b" }));
      return raiseAlarm({ orgId: id, at: now.toISOString(), source, breaks }, reading);
    };
    await raise("head", ["truncated"]);
    await raise("nightly", ["truncated"]);
    expect(await check("chain.broken", id)).toBeUndefined();
    await raise("nightly", ["altered", "truncated"]);
    expect(await check("chain.broken", id)).toEqual({ orgId: id, holds: true, detail: { seq: 7 } });
    // The head is looked at every minute, the entries are not.
    await raise("head", ["truncated"]);
    expect(await check("chain.broken", id)).toMatchObject({ detail: { seq: 7 } });
    // Who has read the whole chain knows better.
    await raise("on demand", ["truncated"], { isWhole: true });
    expect(await check("chain.broken", id)).toBeUndefined();
  });
});

describe("an unproven chain", () => {
  it("lists the reasons from the Integrity page, and resolves without entries", async () => {
    const { id } = await createOrg();
    const empty = await createOrg();
    await appendEvents([{ orgId: id }]);
    const finding = await checkUnprovenChains([id, empty.id]);
    const found = of(finding, id);
    expect(found).toMatchObject({ holds: true });
    const { state } = await readState({ kind: "system" }, id);
    expect(state).toMatchObject({ status: "unproven" });
    expect(found?.detail.reasons).toEqual([...new Set(state.reasons)]);
    expect(of(finding, empty.id)).toMatchObject({ holds: false, detail: { status: "empty" } });
    expect(finding.checked).not.toBe("all");
  });
});

describe("silent agents", () => {
  it("are reported when none of an organization was seen for half an hour", async () => {
    const { id: orgId } = await createOrg();
    const now = new Date();
    const heard = (minutesAgo: number) => new Date(now.getTime() - minutesAgo * MINUTE);
    await createDevice({ orgId, lastSeenAt: heard(50) });
    const lively = await createDevice({ orgId, lastSeenAt: heard(10) });
    expect(await check("agents.silent", orgId, now)).toMatchObject({ holds: false });
    await changeRows(devices, { id: lively.id }, { lastSeenAt: heard(40) });
    const silent = await check("agents.silent", orgId, now);
    expect(silent).toEqual({ orgId, holds: true, detail: { count: 2, at: heard(40).toISOString() } });
  });

  it("do not include revoked agents or agents never seen", async () => {
    const { id: orgId } = await createOrg();
    await createDevice({ orgId });
    await createDevice({ orgId, revoked: true, lastSeenAt: new Date(0) });
    expect(await check("agents.silent", orgId)).toBeUndefined();
  });
});

describe("many denied requests", () => {
  it("means 25 within an hour", async () => {
    const { id: orgId } = await createOrg();
    const now = new Date();
    const denied = (count: number, minutesAgo: number) =>
      appendEvents(
        Array.from({ length: count }, () => ({
          orgId,
          result: "denied" as const,
          timestamp: new Date(now.getTime() - minutesAgo * MINUTE),
        })),
      );
    await denied(30, 61);
    await denied(24, 20);
    expect(await check("denials.many", orgId, now)).toMatchObject({ holds: false });
    await denied(1, 5);
    expect(await check("denials.many", orgId, now)).toEqual({ orgId, holds: true, detail: { count: 25 } });
  });
});

describe("lost events", () => {
  it("notify every partner for a week, and set-aside events while they remain", async () => {
    const { homeOrgId } = await createPartner();
    const spool = randomUUID();
    const now = new Date();
    const stats = { dropped: 1000, deadLetters: 2 };
    await reportLosses(now, stats, spool);
    await reportLosses(new Date(now.getTime() + MINUTE), { ...stats, dropped: 1003, deadLetters: 0 }, spool);
    const [row] = await rowsIn(recordingLosses, { spoolId: spool });
    expect(row).toMatchObject({ dropped: 1003, deadLetters: 0, droppedAt: new Date(now.getTime() + MINUTE) });
    const found = await check("events.lost", homeOrgId, now);
    expect(found?.detail.count).toBeGreaterThanOrEqual(1003);
    await asSystem((tx) => tx.delete(recordingLosses).where(eq(recordingLosses.spoolId, spool)));
  });
});

describe("pruning notification", () => {
  it("is raised only with policies that nobody carried out for two days", async () => {
    const { homeOrgId } = await createPartner();
    expect(of(await checkPruning(new Date(), true), homeOrgId)).toBeUndefined();
    const inFarFuture = new Date(Date.now() + 10 * 86_400_000);
    expect(of(await checkPruning(inFarFuture, false), homeOrgId)).toMatchObject({ holds: true });
  });
});

describe("a disabled webhook", () => {
  it("is reported in its organization, or in the partner's home", async () => {
    const partner = await createPartner();
    const { id: orgId } = await createOrg({ partnerId: partner.id });
    const row = { partnerId: partner.id, url: "https://hooks.example.test", kinds: ["chain.broken"], secret: "x" };
    const disabled = { ...row, disabledAt: new Date(), disabledByFailure: true };
    await asSystem((tx) =>
      tx.insert(webhookEndpoints).values([
        { ...disabled, orgId, name: "Desk" },
        { ...disabled, name: "All" },
        { ...row, orgId, name: "Fine" },
      ]),
    );
    expect((await check("webhook.disabled", orgId))?.detail).toEqual({ names: ["Desk"], ids: [expect.any(String)] });
    expect((await check("webhook.disabled", partner.homeOrgId))?.detail).toEqual({
      names: ["All"],
      ids: [expect.any(String)],
    });
  });
});
