import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { WRITE_TIMES } from "@/server/audit/record/pending-write";
import { startRecording, stopRecording } from "@/server/audit/record/record";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { openAlarms } from "@/server/evidence/integrity/alarm";
import { alarmWatch } from "@/server/evidence/integrity/alarm-watch";
import { listLostHeads, raiseHeadAlarm } from "@/server/evidence/integrity/heads";
import { registry } from "@/server/ground/background/metrics";
import { env } from "@/server/ground/env";
import { auditRows, inTenant, roles, tamper } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { tempFolder } from "@/testing/temp-folder";
import { createReadinessCheck } from "./readiness";

/** As long as it takes: how fast the database answers is the machine's. */
const DATABASE_MS = 60_000;
const checkReadiness = createReadinessCheck(DATABASE_MS);

const heads = async () => (await checkReadiness()).checks.find(({ name }) => name === "heads");

it("a chain with a lost head raises an alarm while the process stays ready", async () => {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 5));
  expect(await listLostHeads(id)).toEqual([]);
  await tamper((tx) => tx`DELETE FROM audit_chain_heads WHERE org_id = ${id}`);
  expect(await heads()).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^(1 chain without its|\d+ chains without their) head or/),
  });
  expect(await checkReadiness()).toMatchObject({ ready: true });
  await raiseHeadAlarm(id);
  const scope = { kind: "organization", orgIds: [id], partnerId: "" } as const;
  expect(await openAlarms(scope)).toMatchObject([{ source: "head", breaks: [{ seq: 6, kind: "truncated" }] }]);
  alarmWatch.start();
  await expect.poll(() => registry.metrics()).toMatch(/trailmark_audit_lost_heads [1-9]/);
  await alarmWatch.stop();
  await tamper(
    (tx) => tx`INSERT INTO audit_chain_heads (org_id, seq, checksum)
      SELECT org_id, chain_seq, checksum FROM audit_logs WHERE org_id = ${id} AND chain_seq = 5`,
  );
  expect(await listLostHeads(id)).toEqual([]);
});

it("two checks answer any number of concurrent callers", async () => {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 5));
  const [first, ...others] = Array.from({ length: 20 }, checkReadiness);
  expect(new Set(others).size).toBe(1);
  expect(others).not.toContain(first);
  await tamper((tx) => tx`DELETE FROM audit_chain_heads WHERE org_id = ${id}`);
  const heads = (await checkReadiness()).checks.find(({ name }) => name === "heads");
  expect(heads).toMatchObject({ ok: false });
});

it("names an unusable spool and stays ready while the database accepts events", async () => {
  const dir = tempFolder();
  writeFileSync(join(dir, "spool"), "");
  await startRecording({ dir: join(dir, "spool") });
  const { ready, checks } = await checkReadiness();
  expect(ready).toBe(true);
  expect(checks.find(({ name }) => name === "spool disk")).toEqual({
    name: "spool disk",
    ok: false,
    detail: expect.stringMatching(/^takes no events \(cannot be opened\)/),
  });
  await stopRecording();
});

it("a chain that lost all entries and its head is reported and cannot restart", async () => {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 5));
  expect(await signCheckpoint(id)).toMatchObject({ kind: "signed" });
  await tamper(async (tx) => {
    await tx`DELETE FROM audit_logs WHERE org_id = ${id}`;
    await tx`DELETE FROM audit_chain_heads WHERE org_id = ${id}`;
  });
  const lost = { orgId: id, head: null, last: 0, signed: 5 };
  expect(await listLostHeads(id)).toEqual([lost]);
  expect(await heads()).toMatchObject({ ok: false });
  await raiseHeadAlarm(id);
  const scope = { kind: "organization", orgIds: [id], partnerId: "" } as const;
  expect(await openAlarms(scope)).toMatchObject([{ breaks: [{ seq: 1, kind: "truncated" }] }]);
  await expect(appendAudit(roles.app, auditRows(id, 2))).rejects.toThrow("entries of this chain were signed");
});

it("a note with an unknown signature neither causes nor hides a truncated chain", async () => {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 5));
  await signCheckpoint(id);
  const insert = (kind: string, size: number) =>
    inTenant(
      "system",
      (tx) => tx`INSERT INTO audit_notes (org_id, kind, size, signed_at, note)
      VALUES (${id}, ${kind}, ${size}, now() + interval '1 day', 'nothing')`,
    );
  await insert("checkpoint", 9e15);
  expect(await listLostHeads(id)).toEqual([]);
  await insert("restored", 9e15);
  await tamper((tx) => tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq > 3`);
  await tamper(
    (tx) => tx`UPDATE audit_chain_heads h SET seq = 3, checksum = a.checksum
      FROM audit_logs a WHERE a.org_id = h.org_id AND a.chain_seq = 3 AND h.org_id = ${id}`,
  );
  expect(await listLostHeads(id)).toEqual([{ orgId: id, head: 3, last: 3, signed: 5 }]);
});

it("stays ready during a write outage while the spool accepts events, and reports it", async () => {
  // The pool is this process's one: it is opened again under the other address, in a separate module.
  vi.resetModules();
  const { withSettings } = await import("@/testing/settings");
  withSettings({ DATABASE_URL: `${env().DATABASE_URL}?default_transaction_read_only=on` });
  const check = (await import("./readiness")).createReadinessCheck(DATABASE_MS);
  const readiness = async (name: string) => {
    const { ready, checks } = await check();
    return { ready, check: checks.find((one) => one.name === name) };
  };
  const reason = "it is a replica, or read-only";
  // Nothing records here yet.
  expect(await readiness("spool")).toMatchObject({ ready: false, check: { ok: false } });
  const refused = { name: "writes", ok: false, detail: `the database takes no writes: ${reason}` };
  expect(await readiness("writes")).toEqual({ ready: false, check: refused });

  const recording = await import("@/server/audit/record/record");
  const dir = tempFolder();
  await recording.startRecording({ dir, times: { ...WRITE_TIMES, giveUp: 60_000 } });
  expect(await readiness("writes")).toEqual({ ready: true, check: refused });
  const { id } = await createOrg();
  await recording.recordDurably(auditRows(id, 1));
  const detail = expect.stringMatching(
    new RegExp(`^the database has taken no audit event for \\d+ s \\(${reason}\\); 1 waits$`),
  );
  await expect.poll(() => readiness("writes")).toEqual({ ready: true, check: { name: "writes", ok: false, detail } });
  expect(await readiness("database")).toMatchObject({ ready: true, check: { ok: true } });
  expect(await readiness("spool")).toMatchObject({ ready: true, check: { ok: true, detail: "1 event waiting" } });
  await recording.stopRecording();
  expect(await readiness("spool")).toMatchObject({
    ready: false,
    check: { ok: false, detail: expect.stringContaining("it takes no more") },
  });
  await (await import("@/db/client")).closeDatabase();
});
