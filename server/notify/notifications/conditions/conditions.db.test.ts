import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { devices, recordingLosses, webhookEndpoints } from "@/db/schema";
import { raiseAlarm } from "@/server/evidence/integrity/alarm";
import { readState } from "@/server/evidence/integrity/state";
import { appendEvents } from "@/testing/audit-entries";
import { createDevice, createOrg, createPartner } from "@/testing/factories";
import { checkBrokenChains } from "./broken-chains";
import { checkDisabledWebhooks } from "./disabled-webhooks";
import type { Finding } from "./finding";
import { checkLostEvents, reportLosses } from "./lost-events";
import { checkManyDenials } from "./many-denials";
import { checkPruning } from "./pruning";
import { checkSilentAgents } from "./silent-agents";
import { checkUnprovenChains } from "./unproven-chains";

const MINUTE = 60_000;
const of = (findings: Finding[], orgId: string, kind = findings[0]?.kind) =>
  findings.find((finding) => finding.kind === kind)?.found.find((one) => one.orgId === orgId);

describe("a lost head", () => {
  it("is told as such, not as a broken chain as well", async () => {
    const { id } = await createOrg();
    const now = new Date();
    await raiseAlarm({ orgId: id, at: now.toISOString(), source: "head", breaks: [] });
    const findings = await checkBrokenChains(now);
    expect(of(findings, id, "chain.head_lost")).toMatchObject({ holds: true });
    expect(of(findings, id, "chain.broken")).toBeUndefined();
  });

  it("is told as a broken chain once entries are found altered, though the alarm keeps what raised it first", async () => {
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
    expect(of(await checkBrokenChains(now), id, "chain.broken")).toBeUndefined();
    await raise("nightly", ["altered", "truncated"]);
    const findings = await checkBrokenChains(now);
    expect(of(findings, id, "chain.broken")).toEqual({ orgId: id, holds: true, detail: { seq: 7 } });
    // The head is looked at every minute, the entries are not.
    await raise("head", ["truncated"]);
    expect(of(await checkBrokenChains(now), id, "chain.broken")).toMatchObject({ detail: { seq: 7 } });
    // Who has read the whole chain knows better.
    await raise("on demand", ["truncated"], { isWhole: true });
    expect(of(await checkBrokenChains(now), id, "chain.broken")).toBeUndefined();
  });
});

describe("a chain that is not proven", () => {
  it("is told with the reasons of the page Integrity; one without entries is over", async () => {
    const { id } = await createOrg();
    const empty = await createOrg();
    await appendEvents([{ orgId: id }]);
    const findings = await checkUnprovenChains([id, empty.id]);
    const found = of(findings, id);
    expect(found).toMatchObject({ holds: true });
    const { state } = await readState({ kind: "system" }, id);
    expect(state).toMatchObject({ status: "unproven" });
    expect(found?.detail.reasons).toEqual([...new Set(state.reasons)]);
    expect(of(findings, empty.id)).toMatchObject({ holds: false, detail: { status: "empty" } });
    expect(findings[0]?.checked).not.toBe("all");
  });
});

describe("silent agents", () => {
  it("are those of an organization of which none was heard for half an hour", async () => {
    const { id: orgId } = await createOrg();
    const now = new Date();
    const heard = (minutesAgo: number) => new Date(now.getTime() - minutesAgo * MINUTE);
    await createDevice({ orgId, lastSeenAt: heard(50) });
    const lively = await createDevice({ orgId, lastSeenAt: heard(10) });
    expect(of(await checkSilentAgents(now), orgId)).toMatchObject({ holds: false });
    await asSystem((tx) =>
      tx
        .update(devices)
        .set({ lastSeenAt: heard(40) })
        .where(eq(devices.id, lively.id)),
    );
    const silent = of(await checkSilentAgents(now), orgId);
    expect(silent).toEqual({ orgId, holds: true, detail: { count: 2, at: heard(40).toISOString() } });
  });

  it("are not those that were never heard, or revoked", async () => {
    const { id: orgId } = await createOrg();
    await createDevice({ orgId });
    await createDevice({ orgId, revoked: true, lastSeenAt: new Date(0) });
    expect(of(await checkSilentAgents(new Date()), orgId)).toBeUndefined();
  });
});

describe("many denials", () => {
  it("are 25 within the hour", async () => {
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
    expect(of(await checkManyDenials(now), orgId)).toMatchObject({ holds: false });
    await denied(1, 5);
    expect(of(await checkManyDenials(now), orgId)).toEqual({ orgId, holds: true, detail: { count: 25 } });
  });
});

describe("lost events", () => {
  it("are told to every partner for a week after the last one, events set aside for as long as they are", async () => {
    const { homeOrgId } = await createPartner();
    const spool = randomUUID();
    const now = new Date();
    const stats = { dropped: 1000, deadLetters: 2 };
    await reportLosses(now, stats, spool);
    await reportLosses(new Date(now.getTime() + MINUTE), { ...stats, dropped: 1003, deadLetters: 0 }, spool);
    const [row] = await asSystem((tx) => tx.select().from(recordingLosses).where(eq(recordingLosses.spoolId, spool)));
    expect(row).toMatchObject({ dropped: 1003, deadLetters: 0, droppedAt: new Date(now.getTime() + MINUTE) });
    const found = of(await checkLostEvents(now), homeOrgId);
    expect(found?.detail.count).toBeGreaterThanOrEqual(1003);
    await asSystem((tx) => tx.delete(recordingLosses).where(eq(recordingLosses.spoolId, spool)));
  });
});

describe("pruning", () => {
  it("is off only where policies exist and no one has carried one out for two days", async () => {
    const { homeOrgId } = await createPartner();
    expect(of(await checkPruning(new Date(), true), homeOrgId)).toBeUndefined();
    const inFarFuture = new Date(Date.now() + 10 * 86_400_000);
    expect(of(await checkPruning(inFarFuture, false), homeOrgId)).toMatchObject({ holds: true });
  });
});

describe("a webhook that was disabled for its failures", () => {
  it("is told at its organization, a partner's at the partner's home", async () => {
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
    const findings = await checkDisabledWebhooks();
    expect(of(findings, orgId)?.detail).toEqual({ names: ["Desk"], ids: [expect.any(String)] });
    expect(of(findings, partner.homeOrgId)?.detail).toEqual({ names: ["All"], ids: [expect.any(String)] });
  });
});
