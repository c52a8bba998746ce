import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { auditSharedProofs, organizations } from "@/db/schema";
import { appendAudit } from "@/server/audit/record/append";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { ownKeys } from "@/server/evidence/checkpoints/stored-note";
import { judgeProof } from "@/server/evidence/proofs/judge-proof";
import { noteTools } from "@/server/evidence/tree/note-tools";
import type { Ctx } from "@/server/ground/context";
import { hashSecret } from "@/server/ground/secrets";
import { auditRow, auditRows, roles, tamper } from "@/testing/chain";
import {
  call,
  createOrg,
  createUser,
  ctxFor,
  auditRows as recordedRows,
  rowsIn,
  type TestUser,
} from "@/testing/factories";
import { listProofLinks, revokeProofLink, shareProof } from "./links";
import { createdLink, proofLinkList } from "./schema";

const DAY_MS = 86_400_000;

/** An organization of so many entries, one of them ours, and its administrator. */
async function arrange(before = 3, after = 4) {
  const orgId = (await createOrg()).id;
  const mine = auditRow(orgId, { resourceName: "Größe ✓" });
  await appendAudit(roles.app, [...auditRows(orgId, before), mine, ...auditRows(orgId, after)]);
  const admin = await createUser({ orgId, role: "org_admin" });
  return { orgId, id: mine.id, seq: before + 1, admin, ctx: await ctxFor(admin) };
}

const judge = (text: string) => judgeProof(noteTools, text, { logs: ownKeys(), witnesses: [], quorum: null });
const prove = (id: string, token: TestUser) => call(token, `GET /audit-logs/logs/${id}/proof`);
const open = (path: string) => call(null, `GET /proof-links/${path.slice(3)}`);
const share = async (ctx: Ctx, id: string, days = 90) => createdLink.parse(await shareProof.run(ctx, { id, days }));
const list = async (ctx: Ctx, id: string) => proofLinkList.parse(await listProofLinks.run(ctx, { id })).data;
const recorded = async (orgId: string, action: string) =>
  (await recordedRows(orgId)).filter((row) => row.action === action);

describe("proof of an entry", () => {
  it("is valid under the installation's key, shows only this entry, and is recorded", async () => {
    const { orgId, id, seq, admin } = await arrange();
    const { status, headers, text } = await prove(id, admin);
    expect(status).toBe(200);
    expect(headers.get("content-disposition")).toBe(`attachment; filename="entry-${seq}.tlog-proof"`);
    expect(judge(text)).toMatchObject({
      status: "intact",
      row: { id, orgId, chainSeq: String(seq), resourceName: "Größe ✓" },
      checkpoint: { size: expect.any(Number) },
    });
    const [row] = await recorded(orgId, "audit_logs.proof");
    expect(row).toMatchObject({ actorEmail: admin.email, resourceId: id, details: { sequence: seq } });
  });

  it("covers entries after the last checkpoint and every entry of a larger log", async () => {
    const { orgId, id, admin, ctx } = await arrange(300, 300);
    await signCheckpoint(orgId);
    const late = auditRow(orgId);
    await appendAudit(roles.app, [late]);
    for (const entry of [id, late.id])
      expect(judge((await prove(entry, admin)).text)).toMatchObject({ status: "intact" });
    expect(ctx.permissions.has("audit:export")).toBe(true);
  });

  it("is refused with an explanation when the entry differs from the signed one", async () => {
    const { orgId, id, seq, admin } = await arrange();
    await signCheckpoint(orgId);
    await tamper(
      (tx) => tx`UPDATE audit_logs SET resource_name = 'other' WHERE org_id = ${orgId} AND chain_seq = ${seq}`,
    );
    const { status, body } = await prove(id, admin);
    expect([status, body.code]).toEqual([409, "conflict"]);
    expect(body.detail).toMatch(/^No proof can be created: the log does not match what was signed/);
  });
});

describe("short link to a proof", () => {
  it("opens for anyone until it expires; each opening is counted and recorded", async () => {
    const { orgId, id, admin, ctx } = await arrange();
    const link = await share(ctx, id);
    expect(link.path).toMatch(/^\/p\/[\w-]{22}$/);
    expect(Date.parse(link.expiresAt) - Date.parse(link.createdAt)).toBe(90 * DAY_MS);
    for (const _ of [1, 2])
      expect(judge((await open(link.path)).text)).toMatchObject({ status: "intact", row: { id } });
    const [org] = await rowsIn(organizations, { id: orgId });
    expect((await open(link.path)).headers.get("Trailmark-Organization")).toBe(encodeURIComponent(org?.name ?? ""));
    expect(await list(ctx, id)).toMatchObject([{ id: link.id, openings: 3, createdByName: admin.name }]);
    expect(await recorded(orgId, "audit_logs.proof.share")).toHaveLength(1);
    const openings = await recorded(orgId, "audit_logs.proof.open");
    expect(openings).toHaveLength(3);
    expect(openings[0]).toMatchObject({ resourceId: id, details: { linkId: link.id }, result: "success" });
  });

  it("is limited to 50 per organization, even when created concurrently", async () => {
    const { orgId, id, seq: chainSeq, ctx } = await arrange();
    const link = { orgId, entryId: id, chainSeq, createdBy: randomUUID(), createdByName: "Probe" };
    const expiresAt = new Date(Date.now() + DAY_MS);
    const open = Array.from({ length: 48 }, () => ({ ...link, tokenHash: hashSecret(randomUUID()), expiresAt }));
    await asSystem((tx) => tx.insert(auditSharedProofs).values(open));
    const created = await Promise.allSettled(Array.from({ length: 8 }, () => share(ctx, id)));
    expect(created.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(created.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "conflict" } });
  });

  it("returns the same 404 when expired, revoked or unknown", async () => {
    const { orgId, id, ctx } = await arrange();
    const past = { ...ctx, now: () => new Date(Date.now() - 2 * DAY_MS) };
    const [ended, revoked] = [await share(past, id, 1), await share(ctx, id)];
    await revokeProofLink.run(ctx, { id: revoked.id });
    await revokeProofLink.run(ctx, { id: revoked.id });
    const answers = await Promise.all(
      [ended.path, revoked.path, `/p/${"x".repeat(22)}`, "/p/x", "/p/%00"].map((path) => open(path)),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.code} ${body.detail}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
    expect(await recorded(orgId, "audit_logs.proof.open")).toEqual([]);
    expect((await list(ctx, id)).map(({ revokedAt }) => revokedAt !== null)).toEqual([true, false]);
  });

  it("stores only the hash of its secret and nothing of the entry", async () => {
    const { id, ctx } = await arrange();
    const { path } = await share(ctx, id);
    const rows = await roles.owner`SELECT * FROM audit_shared_proofs WHERE entry_id = ${id}`;
    expect(JSON.stringify(rows)).not.toContain(path.slice(3));
    expect(JSON.stringify(rows)).not.toMatch(/Größe|device\.update/);
  });

  it("cannot be extended or redirected by the application, or read without a tenant", async () => {
    const { id, ctx } = await arrange();
    await share(ctx, id);
    await expect(
      roles.app`UPDATE audit_shared_proofs SET expires_at = now() + interval '9 years' WHERE entry_id = ${id}`,
    ).rejects.toThrow(/permission denied/);
    expect(await roles.app`SELECT FROM audit_shared_proofs WHERE entry_id = ${id}`).toHaveLength(0);
  });
});
