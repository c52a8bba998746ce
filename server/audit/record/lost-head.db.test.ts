import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  auditRow,
  auditRows,
  chainOf,
  daysAgo,
  expectIntact,
  headOf,
  insertRaw,
  inTenant,
  roles,
  tamperBy,
} from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { permit } from "@/testing/permit";
import { tempFolder } from "@/testing/temp-folder";
import { appendAudit, writerConnection } from "./append";
import { WRITE_TIMES } from "./pending-write";
import { Recorder } from "./recorder";

let dir: string;
let recorder: Recorder;
const damaged: string[] = [];
/** The database is waited for, however long it takes: a flushed spool would answer in its place. */
const PATIENT = { ...WRITE_TIMES, commit: 60_000, giveUp: 60_000 };
beforeEach(() => {
  dir = tempFolder();
  recorder = new Recorder(writerConnection(), PATIENT);
  damaged.length = 0;
  recorder.start(dir, (orgId) => damaged.push(orgId));
});
afterEach(() => recorder.stop(1_000));

type Head = NonNullable<Awaited<ReturnType<typeof headOf>>>;
const deleteHead = (orgId: string) => tamperBy(`DELETE FROM audit_chain_heads WHERE org_id = '${orgId}'`);
const restoreHead = async (orgId: string, head: Head) => {
  await deleteHead(orgId);
  await tamperBy(`INSERT INTO audit_chain_heads (org_id, seq, checksum, pruned_through_seq, pruned_through_checksum)
    VALUES ('${orgId}', ${head.seq}, '${head.checksum}', ${head.prunedThroughSeq},
      ${head.prunedThroughChecksum ? `'${head.prunedThroughChecksum}'` : "NULL"})`);
};

/** Two organizations with a chain of ten, of which the first loses its head. */
async function twoChains(): Promise<{ lost: string; fine: string; head: Head }> {
  const [lost, fine] = [(await createOrg()).id, (await createOrg()).id];
  await appendAudit(roles.app, [...auditRows(lost, 10), ...auditRows(fine, 10)]);
  const head = (await headOf(lost)) as Head;
  await deleteHead(lost);
  return { lost, fine, head };
}

describe("a chain with a lost head", () => {
  it("rejects its entries as unavailable while other organizations continue in the batch", async () => {
    const { lost, fine, head } = await twoChains();
    const mixed = Array.from({ length: 20 }, (_, i) => auditRow(i % 2 ? lost : fine));
    recorder.enqueue(mixed);
    await recorder.flush(20_000);
    expect(damaged).toEqual([lost]);
    expect(await chainOf(fine)).toHaveLength(20);
    expect(await chainOf(lost)).toHaveLength(10);
    await expect(recorder.durably([auditRow(lost)])).rejects.toMatchObject({ code: "unavailable" });
    await recorder.durably([auditRow(fine)]);
    expect(recorder.stats()).toMatchObject({ held: 11, heldChains: 1, dropped: 0, deadLettered: 0, queued: 0 });

    await restoreHead(lost, head);
    await expect.poll(() => recorder.stats().held).toBe(0);
    await recorder.flush(20_000);
    const ids = (await expectIntact(lost, 21)).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(mixed.filter(({ orgId }) => orgId === lost).map(({ id }) => id)));
    await expectIntact(fine, 21);
  });

  it("keeps its entries through a restart and stores each once after repair", async () => {
    const { lost, head } = await twoChains();
    recorder.enqueue(auditRows(lost, 5));
    await recorder.flush(20_000);
    await recorder.stop(500);
    recorder = new Recorder(writerConnection(), PATIENT);
    recorder.start(dir, (orgId) => damaged.push(orgId));
    await recorder.flush(20_000);
    expect(damaged).toEqual([lost, lost]);
    expect(recorder.stats()).toMatchObject({ held: 5, deadLettered: 0 });
    await restoreHead(lost, head);
    await expect.poll(() => recorder.stats().held).toBe(0);
    await recorder.flush(20_000);
    await expectIntact(lost, 15);
    await recorder.stop(500);
    expect(readdirSync(dir)).toEqual([]);
  });

  it("does not start a second chain after pruned entries, by recorder or SQL", async () => {
    const { id } = await createOrg();
    await appendAudit(roles.app, [...auditRows(id, 50, { timestamp: daysAgo(400) }), ...auditRows(id, 3)]);
    await permit(id, 50);
    await roles.admin.begin(async (tx) => {
      await tx`SET LOCAL trailmark.prune = 'on'`;
      await tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq <= 50`;
    });
    await deleteHead(id);
    const code = { code: "23505", constraint_name: "audit_logs_org_seq_key" };
    for (const count of [1, 2, 60])
      await expect(appendAudit(roles.app, auditRows(id, count))).rejects.toMatchObject(code);
    for (const count of [1, 2])
      await expect(inTenant([id], (tx) => insertRaw(tx, id, count))).rejects.toMatchObject(code);
    expect(await chainOf(id)).toHaveLength(4);
  });

  it("treats a head that is too low the same way", async () => {
    const { lost, head } = await twoChains();
    const [, , , fourth] = await chainOf(lost);
    await restoreHead(lost, { ...head, seq: "4", checksum: fourth?.checksum ?? "" });
    await expect(recorder.durably([auditRow(lost)])).rejects.toMatchObject({ code: "unavailable" });
    await restoreHead(lost, head);
    await expect.poll(() => recorder.stats().held).toBe(0);
    await recorder.flush(20_000);
    await expectIntact(lost, 11);
  });
});
