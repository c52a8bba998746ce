import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { startRecording, stopRecording } from "@/server/audit/record/record";
import { openAlarms } from "@/server/evidence/integrity/alarm";
import { listLostHeads, raiseHeadAlarm } from "@/server/evidence/integrity/heads";
import { judgeChain } from "@/server/evidence/integrity/judge";
import { env } from "@/server/ground/env";
import { auditRows, chainOf, headOf, inTenant, roles, tamperBy } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { repairHead } from "./repair-head";

beforeAll(() => startRecording({ dir: join(env().TRAILMARK_DATA_DIR, "spool") }));
afterAll(async () => {
  await stopRecording();
});

/** A chain of ten, signed, whose head is gone. */
async function lostChain(): Promise<string> {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 10));
  expect(await judgeChain(id)).toMatchObject({ status: "intact" });
  await tamperBy(`DELETE FROM audit_chain_heads WHERE org_id = '${id}'`);
  return id;
}

it("rebuilds the head of a proven chain, records and signs it, and closes the alarm", async () => {
  const id = await lostChain();
  await raiseHeadAlarm(id);
  expect(await judgeChain(id)).toMatchObject({ status: "broken", breaks: [{ kind: "truncated" }] });
  const done = await repairHead(id);
  expect(done).toMatchObject({ kind: "repaired", before: null, head: { seq: 10 }, rows: 10 });
  expect(done).toMatchObject({ after: { status: "intact", covered: { lastSeq: 11, checkpoint: { size: 11 } } } });
  expect(await headOf(id)).toMatchObject({ seq: "11", prunedThroughSeq: "0" });
  const rows = await chainOf(id);
  expect(rows.at(-1)).toMatchObject({ action: "audit.chain.head.repair", actorType: "system", chainSeq: "11" });
  expect(await openAlarms({ kind: "organization", orgIds: [id], partnerId: "" })).toEqual([]);
  expect(await repairHead(id)).toEqual({ kind: "right" });
});

it("resets a lowered or altered head to the newest row", async () => {
  for (const change of ["seq = 4", `checksum = repeat('0', 64)`]) {
    const { id } = await createOrg();
    await appendAudit(roles.app, auditRows(id, 10));
    await tamperBy(`UPDATE audit_chain_heads SET ${change} WHERE org_id = '${id}'`);
    expect(await judgeChain(id)).toMatchObject({ status: "broken", breaks: [{ kind: "truncated" }] });
    expect(await repairHead(id)).toMatchObject({ kind: "repaired", after: { status: "intact" } });
  }
});

it("refuses altered, missing, truncated and incomplete rows", async () => {
  for (const [damage, kind] of [
    ["UPDATE audit_logs SET resource_name = 'other' WHERE org_id = 'ID' AND chain_seq = 4", "altered"],
    ["DELETE FROM audit_logs WHERE org_id = 'ID' AND chain_seq = 4", "missing"],
    ["DELETE FROM audit_logs WHERE org_id = 'ID' AND chain_seq <= 4", "missing"],
    ["DELETE FROM audit_logs WHERE org_id = 'ID' AND chain_seq > 8", "truncated"],
  ] as const) {
    const id = await lostChain();
    await tamperBy(damage.replace("ID", id));
    expect(await repairHead(id)).toMatchObject({ kind: "refused", breaks: [{ kind }] });
    expect(await listLostHeads(id)).toMatchObject([{ head: null }]);
  }
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 10));
  await tamperBy(`UPDATE audit_chain_heads SET seq = 15 WHERE org_id = '${id}'`);
  expect(await repairHead(id)).toMatchObject({ kind: "refused", breaks: [{ seq: 11, kind: "truncated" }] });
});

it("the application role cannot repair a head", async () => {
  const id = await lostChain();
  const call = inTenant([id], (tx) => tx`SELECT audit_repair_head(${id}::uuid, 10, 'x', 0, NULL)`);
  await expect(call).rejects.toMatchObject({ code: "42501" });
});
