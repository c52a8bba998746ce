import { afterAll, beforeAll, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { newestReceipt } from "@/server/evidence/checkpoints/note-store";
import { openAlarms } from "@/server/evidence/integrity/alarm";
import { appendEvents } from "@/testing/audit-entries";
import { chainOf, daysAgo } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { showOther, startOnlyWitness } from "@/testing/proofs/disputed-log";
import type { RunningWitness } from "@/testing/proofs/witness";
import { runRetention } from "./run";

let running: RunningWitness;
beforeAll(async () => {
  running = await startOnlyWitness();
});
afterAll(async () => {
  await running.remove();
});

it("does not prune a log disputed by a witness, though its rows are intact", async () => {
  const { id: orgId } = await createOrg();
  await showOther(running.witness, orgId, 3);
  const expired = { orgId, timestamp: new Date(daysAgo(800)) };
  await appendEvents([expired, expired, expired, expired, { orgId }]);
  for (const isThere of [true, true, false]) {
    if (!isThere) await running.stop();
    const run = await runRetention({ orgIds: [orgId] });
    expect(run).toMatchObject({
      rows: 0,
      organizations: [{ error: expect.stringMatching(/nothing (was|is) removed/) }],
    });
  }
  expect(await chainOf(orgId)).toHaveLength(5);
  expect(await asSystem((tx) => newestReceipt(tx, orgId))).toBeNull();
  const open = await openAlarms({ kind: "organization", orgIds: [orgId], partnerId: "" });
  expect(open).toMatchObject([{ breaks: [{ seq: 3, kind: "altered" }] }]);
});
