import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { appendAudit } from "@/server/audit/record/append";
import { startRecording, stopRecording } from "@/server/audit/record/record";
import { listRestorations, newestCheckpoint } from "@/server/evidence/checkpoints/note-store";
import { findSignedBeyond, signRestoration } from "@/server/evidence/checkpoints/restore-log";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { openAlarms, raiseAlarm } from "@/server/evidence/integrity/alarm";
import { raiseLostAlarms } from "@/server/evidence/integrity/alarm-watch";
import { verifyIntegrity } from "@/server/evidence/integrity/integrity";
import { judgeChain } from "@/server/evidence/integrity/judge";
import { verifyNightly } from "@/server/evidence/integrity/nightly";
import { readState } from "@/server/evidence/integrity/state";
import { env } from "@/server/ground/env";
import { auditRows, chainOf, daysAgo, roles, tamper } from "@/testing/chain";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { keepFor } from "@/testing/permit";
import { withSettings } from "@/testing/settings";
import { type Continued, continueChain } from "./continue-chain";
import { runRetention } from "./run";

beforeAll(() => startRecording({ dir: join(env().TRAILMARK_DATA_DIR, "spool") }));
afterAll(async () => {
  await stopRecording();
});

const open = (orgId: string) => openAlarms({ kind: "organization", orgIds: [orgId], partnerId: "" });

/** Entries and head as a backup has them that was taken when there were so many. */
const restoreTo = (orgId: string, seq: number) =>
  tamper(async (tx) => {
    await tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq > ${seq}`;
    await tx`DELETE FROM audit_notes WHERE org_id = ${orgId} AND size > ${seq}`;
    await tx`UPDATE audit_chain_heads h SET seq = ${seq},
      checksum = (SELECT checksum FROM audit_logs a WHERE a.org_id = h.org_id AND chain_seq = ${seq}) WHERE org_id = ${orgId}`;
  });

/** A log of ten entries, signed long ago when there were six, and again. */
async function signedLog(): Promise<string> {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 6));
  await signCheckpoint(id, { now: new Date(daysAgo(40)) });
  await appendAudit(roles.app, auditRows(id, 4));
  await signCheckpoint(id, { now: new Date(daysAgo(1)) });
  return id;
}

/** The same, that came back from a backup of when there were six. */
async function restoredLog(): Promise<string> {
  const id = await signedLog();
  await restoreTo(id, 6);
  return id;
}

it("continues a restored log, records it and leaves no alarm", async () => {
  const id = await restoredLog();
  const done = await continueChain(id);
  expect(done).toMatchObject({ kind: "continued", lastSeq: 6, proven: 6, lost: { size: 10 } });
  expect(done).toMatchObject({ after: { status: "unproven", breaks: [], covered: { lastSeq: 7 } } });
  expect((await chainOf(id)).at(-1)).toMatchObject({ action: "audit.restored", chainSeq: "7" });
  expect(await open(id)).toEqual([]);
  expect(await continueChain(id)).toEqual({ kind: "right" });
});

it("closes alarms from a verification that found the loss", async () => {
  const id = await restoredLog();
  expect(await verifyNightly(id)).toMatchObject({ status: "broken" });
  const auditor = await ctxFor(await createUser({ orgId: id, role: "org_admin" }));
  expect(await verifyIntegrity.run(auditor, { orgId: id, fromSeq: 1, toSeq: 6 })).toMatchObject({ status: "broken" });
  await continueChain(id);
  await raiseLostAlarms(id);
  expect(await open(id)).toEqual([]);
  expect((await readState({ kind: "system" }, id)).state).toMatchObject({ status: "unproven", throughSeq: 7 });
});

it("an alarm on a restored log closes when a full verification finds nothing else", async () => {
  const id = await restoredLog();
  await continueChain(id);
  const auditor = await ctxFor(await createUser({ orgId: id, role: "org_admin" }));
  const broken = { seq: 3, id: "", kind: "altered", expected: "a", actual: "b" } as const;
  await raiseAlarm({ orgId: id, at: new Date().toISOString(), source: "nightly", breaks: [broken] });
  await verifyIntegrity.run(auditor, { orgId: id, fromSeq: 1, toSeq: 6 });
  expect(await open(id)).toHaveLength(1);
  expect(await verifyIntegrity.run(auditor, { orgId: id })).toMatchObject({ status: "unproven", breaks: [] });
  expect(await open(id)).toEqual([]);
});

it("refuses a log whose missing start has no receipt, restored or not", async () => {
  for (const seq of [10, 6]) {
    const { id } = await createOrg();
    await appendAudit(roles.app, auditRows(id, 6));
    await signCheckpoint(id);
    await appendAudit(roles.app, auditRows(id, 4));
    await signCheckpoint(id);
    if (seq < 10) await restoreTo(id, seq);
    await tamper((tx) => tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq <= 4`);
    expect(await continueChain(id)).toMatchObject({ kind: "refused", breaks: [{ seq: 1, kind: "missing" }] });
    expect(await asSystem((tx) => listRestorations(tx, id))).toEqual([]);
  }
});

const recorded = async (id: string) => (await chainOf(id)).filter(({ action }) => action === "audit.restored");
const restorationsOf = (id: string) => asSystem((tx) => listRestorations(tx, id));

it("signs nothing without the elevated role", async () => {
  const id = await restoredLog();
  const { AUDIT_ADMIN_DATABASE_URL: url } = env();
  for (const other of [undefined, "postgres://nobody:wrong@127.0.0.1:1/none"]) {
    withSettings({ AUDIT_ADMIN_DATABASE_URL: other });
    await expect(continueChain(id)).rejects.toThrow();
    withSettings({ AUDIT_ADMIN_DATABASE_URL: url });
    expect(await restorationsOf(id)).toEqual([]);
  }
  expect(await continueChain(id)).toMatchObject({ kind: "continued" });
});

it("resumes an interrupted run without a second note or record", async () => {
  const id = await restoredLog();
  const lost = await findSignedBeyond(id);
  if (!lost) throw new Error("nothing was lost");
  await signRestoration(lost, new Date().toISOString());
  expect(await continueChain(id)).toMatchObject({ kind: "continued", proven: 6, lost: { size: 10 } });
  expect(await restorationsOf(id)).toHaveLength(1);
  expect(await recorded(id)).toHaveLength(1);
});

it("finishes an interrupted run once, even after later checkpoints", async () => {
  const id = await restoredLog();
  const lost = await findSignedBeyond(id);
  if (!lost) throw new Error("nothing was lost");
  // An earlier version signed one at each try.
  for (const _ of ["a try", "another"]) await signRestoration(lost, new Date().toISOString());
  await appendAudit(roles.app, auditRows(id, 2));
  await signCheckpoint(id);
  const done = { kind: "finished", recorded: 1, after: { status: "unproven", breaks: [], covered: { lastSeq: 9 } } };
  expect(await continueChain(id)).toMatchObject(done);
  expect(await recorded(id)).toMatchObject([{ chainSeq: "9", details: expect.stringContaining('"provenThrough": 6') }]);
  expect(await continueChain(id)).toEqual({ kind: "right" });
});

it("does not record a restore again after its entry was pruned", async () => {
  const { id } = await createOrg();
  const append = (rows: number, days: number, over = {}) =>
    appendAudit(roles.app, auditRows(id, rows, { timestamp: daysAgo(days), ...over }));
  const sign = (days: number) => signCheckpoint(id, { now: new Date(daysAgo(days)) });
  await append(6, 100);
  await sign(99);
  await append(4, 98);
  await sign(97);
  await restoreTo(id, 6);
  const lost = await findSignedBeyond(id);
  if (!lost) throw new Error("nothing was lost");
  await signRestoration(lost, daysAgo(90));
  const details = JSON.stringify({ provenThrough: 6, checkpoint: { size: 10, signedAt: lost.beyond.signedAt } });
  await append(1, 90, { action: "audit.restored", details });
  await sign(89);
  expect(await continueChain(id)).toEqual({ kind: "right" });
  await keepFor(id, 30);
  expect(await runRetention({ orgIds: [id] })).toMatchObject({ status: "done", rows: 7 });
  expect(await continueChain(id)).toEqual({ kind: "right" });
  expect(await recorded(id)).toEqual([]);
});

it("includes an entry that arrives during the run", async () => {
  const id = await restoredLog();
  let done: Promise<Continued> | undefined;
  await roles.owner.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(hashtextextended('trailmark tree ' || ${id}::text, 8))`;
    done = continueChain(id);
    await expect.poll(() => restorationsOf(id)).toHaveLength(1);
    await appendAudit(roles.app, auditRows(id, 1));
  });
  expect(await done).toMatchObject({ kind: "continued", lastSeq: 6, after: { status: "unproven", breaks: [] } });
  expect((await recorded(id)).map(({ chainSeq }) => chainSeq)).toEqual(["8"]);
});

it("refuses an entry after the gap while the head is the old one", async () => {
  const id = await signedLog();
  await tamper((tx) => tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq > 6`);
  let refused: Promise<void> | undefined;
  await roles.owner.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(hashtextextended('trailmark tree ' || ${id}::text, 8))`;
    refused = expect(continueChain(id)).rejects.toMatchObject({ cause: { code: "55000" } });
    await expect.poll(() => restorationsOf(id)).toHaveLength(1);
    await appendAudit(roles.app, auditRows(id, 1));
  });
  await refused;
  expect((await chainOf(id)).at(-1)).toMatchObject({ chainSeq: "11" });
  expect(await recorded(id)).toEqual([]);
  expect(await continueChain(id)).toMatchObject({ kind: "refused", breaks: [{ seq: 7, kind: "missing" }] });
});

it("continues after checkpoints signed by a clock that ran ahead", async () => {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 6));
  await signCheckpoint(id, { now: new Date(daysAgo(-1)) });
  await appendAudit(roles.app, auditRows(id, 4));
  await signCheckpoint(id, { now: new Date(daysAgo(-2)) });
  await restoreTo(id, 6);
  const done = { kind: "continued", proven: 6, after: { status: "unproven", breaks: [], covered: { lastSeq: 7 } } };
  expect(await continueChain(id)).toMatchObject(done);
  await appendAudit(roles.app, auditRows(id, 3));
  expect(await judgeChain(id)).toMatchObject({ status: "unproven", breaks: [], covered: { lastSeq: 10 } });
  expect(await asSystem((tx) => newestCheckpoint(tx, id))).toMatchObject({ size: 10 });
});
