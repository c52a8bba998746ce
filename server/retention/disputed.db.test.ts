import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { originOfOrg, ownKeys, signStatement } from "@/server/audit/checkpoints/keys";
import { newestReceipt } from "@/server/audit/checkpoints/note-store";
import { openAlarms } from "@/server/audit/integrity/alarm";
import { formatVerifierKey, parseNote } from "@/server/audit/tree/signed-note";
import { checkpointText } from "@/server/audit/tree/statement";
import { rootOf } from "@/server/audit/tree/tree";
import { askWitness } from "@/server/audit/witnesses/ask";
import { env } from "@/server/env";
import { noteTools } from "@/server/note-tools";
import { appendEvents } from "@/testing/audit-entries";
import { chainOf, closeRoles, daysAgo } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { leavesOf, nodesOf, type RunningWitness, startWitness } from "@/testing/proofs/witness";
import { runRetention } from "./run";

let running: RunningWitness;
beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), "trailmark-disputed-"));
  const file = join(dir, "policy");
  Object.assign(env(), { TRAILMARK_DATA_DIR: dir, TRAILMARK_WITNESS_POLICY_FILE: file });
  running = await startWitness("auditor.example", ownKeys());
  const { name, key, url } = running.witness;
  writeFileSync(file, `witness ${name} ${formatVerifierKey(key)} ${url}\nquorum ${name}\n`);
});
afterAll(async () => {
  await running.remove();
  await closeRoles();
});

/** Has the witness cosign a log of the same origin that is not the one in the database. */
async function showOther(orgId: string, size: number): Promise<void> {
  const root = rootOf({ sha256: noteTools.sha256, node: nodesOf(leavesOf("other ")) }, 0, size);
  const text = checkpointText({ origin: originOfOrg(orgId), size, root, signedAt: "2026-11-20T14:06:00.000Z" });
  const note = parseNote(signStatement(originOfOrg(orgId), text));
  if (!note) throw new Error("no note");
  const outcome = await askWitness(running.witness, { note, size, proofFrom: async () => [] }, { known: 0 });
  expect(outcome).toMatchObject({ kind: "cosigned" });
}

it("removes nothing of a log that a witness holds another one against, though its rows are intact", async () => {
  const { id: orgId } = await createOrg();
  await showOther(orgId, 3);
  const expired = { orgId, timestamp: new Date(daysAgo(800)) };
  await appendEvents([expired, expired, expired, expired, { orgId }]);
  for (const _ of ["a night", "the next"]) {
    const run = await runRetention({ orgIds: [orgId] });
    expect(run).toMatchObject({ rows: 0, organizations: [{ error: expect.stringContaining("nothing was removed") }] });
  }
  expect(await chainOf(orgId)).toHaveLength(5);
  expect(await asSystem((tx) => newestReceipt(tx, orgId))).toBeNull();
  const open = await openAlarms({ kind: "organization", orgIds: [orgId], partnerId: "" });
  expect(open).toMatchObject([{ breaks: [{ seq: 3, kind: "altered" }] }]);
});
