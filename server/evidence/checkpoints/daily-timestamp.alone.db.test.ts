import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { planBundle } from "@/server/evidence/export/plan";
import { parseNote } from "@/server/evidence/tree/signed-note";
import { auditRows, inTenant, roles } from "@/testing/chain";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { type Authority, startAuthority } from "@/testing/proofs/timestamp-authority";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { signCheckpoint } from "./sign";

const DAY_MS = 86_400_000;

let dir: string;
let authority: Authority;
beforeAll(async () => {
  authority = await startAuthority();
  dir = tempFolder();
  withSettings({ TRAILMARK_DATA_DIR: dir, TRAILMARK_TSA_URL: authority.url });
});
afterAll(async () => {
  await authority.stop();
});

const notesOf = (orgId: string) =>
  inTenant(
    "system",
    (tx) => tx<{ size: string; note: string; token: Buffer | null }[]>`
      SELECT size, note, timestamp_token AS token FROM audit_notes WHERE org_id = ${orgId} ORDER BY size`,
  );

it("stores one timestamp a day per organization, and thinning keeps it", async () => {
  const orgId = randomUUID();
  const start = Date.now() - 200 * DAY_MS;
  for (const hours of [0, 1, 23, 25, 26]) {
    await appendAudit(roles.app, auditRows(orgId, 1));
    await signCheckpoint(orgId, { now: new Date(start + hours * 3_600_000) });
  }
  const kept = (await notesOf(orgId)).filter(({ token }) => token !== null);
  expect(kept.map(({ size }) => Number(size))).toEqual([1, 4]);
  for (const { note, token } of kept)
    if (token) expect(authority.verify(parseNote(note)?.text ?? "", token)).toContain("Verification: OK");
  await inTenant("system", (tx) => tx`SELECT audit_thin_notes(${orgId})`);
  const stamped = (await notesOf(orgId)).filter(({ token }) => token !== null);
  expect(stamped.map(({ size }) => Number(size))).toEqual([1, 4]);
});

it("adds a timestamp to a bundle whose checkpoint has none", async () => {
  const orgId = (await createOrg()).id;
  const ctx = await ctxFor(await createUser({ orgId, role: "org_admin" }));
  await appendAudit(roles.app, auditRows(orgId, 1));
  await signCheckpoint(orgId);
  await appendAudit(roles.app, auditRows(orgId, 1));
  const { checkpoint, token } = await planBundle(ctx, orgId, {});
  expect(checkpoint.size).toBe(2);
  const text = parseNote(checkpoint.note)?.text ?? "";
  expect(authority.verify(text, Buffer.from(token ?? "", "base64"))).toContain("Verification: OK");
});
