import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { appendAudit } from "@/server/audit/record/append";
import { findSignedBeyond, signRestoration } from "@/server/evidence/checkpoints/restore-log";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { listOverview } from "@/server/organizations/overview/list";
import { overviewInput } from "@/server/organizations/overview/schema";
import { appendEvents } from "@/testing/audit-entries";
import { auditRows, roles, tamper } from "@/testing/chain";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { readFigures } from "./figures";

it("counts follow new organizations, entries and policies", async () => {
  const before = await readFigures();
  const { id: empty } = await createOrg();
  const { id: orgId } = await createOrg();
  await appendEvents([{ orgId }, { orgId }]);
  await roles.admin`UPDATE audit_retention_policies SET last_cleanup_at = now() WHERE org_id = ${empty}::uuid`;
  const DAY = 86_400;
  await asSystem((tx) =>
    tx.execute(sql`UPDATE organizations SET created_at = now() - interval '10 days' WHERE id = ${orgId}::uuid`),
  );
  const { states, unsignedAge, prunedAge, verifiedAge } = await readFigures();
  const total = (of: typeof states) => of.intact + of.broken + of.unproven + of.empty;
  expect(total(states)).toBeGreaterThanOrEqual(total(before.states) + 2);
  expect(states.empty).toBeGreaterThan(0);
  expect(states.unproven).toBeGreaterThan(0);
  expect(unsignedAge).toBeGreaterThan(0);
  expect(prunedAge).toBeGreaterThan(0);
  // No verification has read it since it was created.
  expect(verifiedAge).toBeGreaterThanOrEqual(10 * DAY);
});

it("entries after a restore count as unsigned despite an older, larger checkpoint", async () => {
  const { id } = await createOrg();
  for (const rows of [6, 4]) {
    await appendAudit(roles.app, auditRows(id, rows));
    await signCheckpoint(id);
  }
  await tamper(async (tx) => {
    await tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq > 6`;
    await tx`UPDATE audit_chain_heads h SET seq = 6,
      checksum = (SELECT checksum FROM audit_logs a WHERE a.org_id = h.org_id AND chain_seq = 6) WHERE org_id = ${id}`;
  });
  const lost = await findSignedBeyond(id);
  if (!lost) throw new Error("nothing was lost");
  await signRestoration(lost, new Date().toISOString());
  await appendAudit(roles.app, auditRows(id, 2));
  const at = "1990-01-01T00:00:00.000Z";
  await tamper((tx) => tx`UPDATE audit_logs SET sealed_at = ${at} WHERE org_id = ${id} AND chain_seq = 7`);
  const auditor = await ctxFor(await createUser({ orgId: id, role: "org_admin" }));
  const checkpoint = async () => (await listOverview.run(auditor, overviewInput.parse({}))).data[0]?.checkpoint;
  const years = async () => (await readFigures()).unsignedAge / (365 * 86_400);
  expect(await years()).toBeGreaterThan(30);
  expect(await checkpoint()).toMatchObject({ seq: 6, unsigned: 2, unsignedSince: at });
  expect(await signCheckpoint(id)).toMatchObject({ kind: "signed", note: { size: 8 } });
  expect(await years()).toBeLessThan(30);
  expect(await checkpoint()).toMatchObject({ seq: 8, unsigned: 0, unsignedSince: null });
});
