import { describe, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { auditRows, roles, tamper } from "@/testing/chain";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { signCheckpoint } from "./checkpoints";
import { getEntryStatus } from "./entry-status";
import { verifyIntegrity } from "./integrity";
import { entryStatus } from "./schema";

describe("integrity status of an entry", () => {
  it("names its checksums, the first checkpoint that covers it and the last verification", async () => {
    const { id: orgId } = await createOrg();
    const ctx = await ctxFor(await createUser({ orgId, role: "org_admin" }));
    const rows = auditRows(orgId, 6);
    await appendAudit(roles.app, rows.slice(0, 4));
    await signCheckpoint(orgId);
    await verifyIntegrity.run(ctx, { orgId });
    await appendAudit(roles.app, rows.slice(4));

    const early = entryStatus.parse(await getEntryStatus.run(ctx, { id: rows[1]?.id as string }));
    expect(early).toMatchObject({ status: "intact", breaks: [], checkpoint: { seq: 4 } });
    expect(early.lastVerified).toMatchObject({ status: "intact" });
    const first = await getEntryStatus.run(ctx, { id: rows[0]?.id as string });
    expect([first.prevChecksum, early.prevChecksum]).toEqual([null, first.checksum]);
    const late = await getEntryStatus.run(ctx, { id: rows[5]?.id as string });
    expect(late).toMatchObject({ status: "unproven", checkpoint: null, lastVerified: null });
    expect(late.reasons).toEqual(["No checkpoint covers it yet."]);
    await signCheckpoint(orgId);
    expect((await getEntryStatus.run(ctx, { id: rows[5]?.id as string })).checkpoint).toMatchObject({ seq: 6 });
    expect((await getEntryStatus.run(ctx, { id: rows[1]?.id as string })).checkpoint).toMatchObject({ seq: 4 });
  });

  it("shows an out-of-band change at that entry and at the next one", async () => {
    const { id: orgId } = await createOrg();
    const ctx = await ctxFor(await createUser({ orgId, role: "org_viewer" }));
    const rows = auditRows(orgId, 5);
    await appendAudit(roles.app, rows);
    await signCheckpoint(orgId);
    await tamper(async (tx) => {
      await tx`UPDATE audit_logs SET resource_name = 'other' WHERE org_id = ${orgId} AND chain_seq = 3`;
      await tx`UPDATE audit_logs SET checksum = repeat('0', 64) WHERE org_id = ${orgId} AND chain_seq = 4`;
    });
    const statuses = await Promise.all(rows.map(({ id }) => getEntryStatus.run(ctx, { id: id as string })));
    expect(statuses.map(({ status }) => status)).toEqual(["unproven", "unproven", "broken", "broken", "broken"]);
    expect(statuses.map(({ breaks }) => breaks[0]?.kind)).toEqual([
      undefined,
      undefined,
      "altered",
      "altered",
      "relinked",
    ]);
  });

  it("is unproven or broken when the entry differs from the signed tree", async () => {
    for (const [rows, status] of [
      [3, "unproven"],
      [256, "broken"],
    ] as const) {
      const { id: orgId } = await createOrg();
      const ctx = await ctxFor(await createUser({ orgId, role: "org_viewer" }));
      await appendAudit(roles.app, auditRows(orgId, rows));
      await signCheckpoint(orgId);
      const [last] = await tamper(async (tx) => {
        await tx`UPDATE audit_logs SET resource_name = 'other' WHERE org_id = ${orgId} AND chain_seq = ${rows}`;
        const changed = await tx`
          UPDATE audit_logs a SET checksum = audit_checksum(a) WHERE org_id = ${orgId} AND chain_seq = ${rows}
          RETURNING id, checksum`;
        await tx`UPDATE audit_chain_heads SET checksum = ${changed[0]?.checksum} WHERE org_id = ${orgId}`;
        return changed;
      });
      const found = await getEntryStatus.run(ctx, { id: last?.id });
      expect([rows, found.status]).toEqual([rows, status]);
      expect(found.breaks.length + found.reasons.length).toBe(1);
    }
  });
});
