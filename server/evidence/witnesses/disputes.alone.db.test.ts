import { afterAll, beforeAll, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { appendAudit } from "@/server/audit/record/append";
import { listCheckpoints } from "@/server/evidence/checkpoints/note-store";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { cosignersOf } from "@/server/evidence/checkpoints/witnessed";
import { verifyIntegrity } from "@/server/evidence/integrity/integrity";
import { verifyNightly } from "@/server/evidence/integrity/nightly";
import { getIntegrityStatus } from "@/server/evidence/integrity/status";
import { auditRows, roles } from "@/testing/chain";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { showOther, startOnlyWitness } from "@/testing/proofs/disputed-log";
import type { RunningWitness } from "@/testing/proofs/witness";

let running: RunningWitness;
beforeAll(async () => {
  running = await startOnlyWitness();
});
afterAll(async () => {
  await running.remove();
});

async function organization() {
  const { id: orgId } = await createOrg();
  const ctx = await ctxFor(await createUser({ orgId, role: "org_admin" }));
  return { orgId, ctx };
}

/** The notes of an organization's checkpoints that cover any entry, newest first. */
const checkpointsOf = async (orgId: string): Promise<string[]> => {
  const notes = await asSystem((tx) => listCheckpoints(tx, orgId, 100));
  return notes.filter(({ size }) => size > 0).map(({ note }) => note);
};

it("a log disputed by a witness stays broken however often it is verified", async () => {
  const { orgId, ctx } = await organization();
  await showOther(running.witness, orgId, 3);
  await appendAudit(roles.app, auditRows(orgId, 5));
  const dispute = { status: "broken", breaks: [{ seq: 3, kind: "altered" }] };
  const stands = { state: { status: "broken" }, alarm: { breaks: [{ seq: 3, kind: "altered" }] } };
  for (const question of [{}, {}, { fromSeq: 2, toSeq: 4 }, { from: new Date(0) }]) {
    expect(await verifyIntegrity.run(ctx, { orgId, ...question })).toMatchObject(dispute);
    expect(await getIntegrityStatus.run(ctx, { orgId })).toMatchObject(stands);
  }
  expect(await checkpointsOf(orgId)).toHaveLength(1);
  expect(await verifyNightly(orgId)).toMatchObject(dispute);
  expect(await getIntegrityStatus.run(ctx, { orgId })).toMatchObject(stands);
});

it("cosigns an unchanged head at the next verification once the witness is back", async () => {
  const { orgId, ctx } = await organization();
  await appendAudit(roles.app, auditRows(orgId, 5));
  await running.stop();
  expect(await verifyIntegrity.run(ctx, { orgId })).toMatchObject({ status: "intact" });
  const [alone] = await checkpointsOf(orgId);
  for (let n = 0; n < 3; n++) expect(await verifyIntegrity.run(ctx, { orgId })).toMatchObject({ status: "intact" });
  expect(await checkpointsOf(orgId)).toEqual([alone]);
  await running.start();
  expect(await verifyIntegrity.run(ctx, { orgId })).toMatchObject({ status: "intact" });
  const signing = await signCheckpoint(orgId);
  if (signing.kind !== "signed") throw new Error("refused");
  expect(signing.note.size).toBe(5);
  expect(cosignersOf(signing.note.note).map(({ name }) => name)).toEqual(["auditor.example"]);
  // No witness is missing from it any more: the same one is given.
  expect(await signCheckpoint(orgId)).toMatchObject({ note: { signedAt: signing.note.signedAt } });
  expect(await checkpointsOf(orgId)).toEqual([signing.note.note, alone]);
});
