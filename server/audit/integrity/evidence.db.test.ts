import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { GET as getEvidence } from "@/app/api/v1/audit-logs/evidence/route";
import { MAX_EXPORTS_AT_ONCE } from "@/server/audit/entries/export-slots";
import { appendAudit } from "@/server/audit/record/append";
import { auditRows, closeRoles, daysAgo, roles } from "@/testing/chain";
import { call, createOrg, createUser, ctxFor, type TestUser } from "@/testing/factories";
import { exportEvidence } from "./evidence";
import { nodeBundleTools } from "./node-bundle-tools";
import { verifyBundle } from "./verify-bundle";

const folder = mkdtempSync(join(tmpdir(), "trailmark-evidence-"));
const PYTHON = join(process.cwd(), "docs", "verify_bundle.py");

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await closeRoles();
});

const lines = (bundle: string) => bundle.replace(/\n$/, "").split("\n");
const check = (bundle: string, options = {}) => verifyBundle(lines(bundle), nodeBundleTools, options);

/** Exit code of the independent verifier: 0 intact, 1 broken, 2 unreadable. */
function python(bundle: string): number {
  const file = join(folder, "bundle.ndjson");
  writeFileSync(file, bundle);
  try {
    execFileSync("python3", [PYTHON, file], { stdio: "pipe" });
    return 0;
  } catch (error) {
    return (error as { status: number }).status;
  }
}

describe("evidence bundle", () => {
  let admin: TestUser;
  let orgId: string;
  let bundle: string;

  const download = async (query = "") => {
    const answer = await call(getEvidence, { path: `/audit-logs/evidence?${query}`, token: admin });
    expect(answer.status).toBe(200);
    return answer.text;
  };

  beforeAll(async () => {
    orgId = (await createOrg({ name: "Contoso & Söhne" })).id;
    admin = await createUser({ orgId, role: "org_admin" });
    await appendAudit(
      roles.app,
      auditRows(orgId, 30, { resourceName: "Größe 😀", details: '{"n": 1.0, "t": "a\\nb\\\\"}' }),
    );
    bundle = await download();
  });

  it("is intact, complete and anchored by a signed checkpoint", async () => {
    const found = await check(bundle);
    expect(found).toMatchObject({ status: "intact", firstSeq: 1, lastSeq: 30, anchoredThrough: 30, breaks: [] });
    expect(python(bundle)).toBe(0);
  });

  it("covers a time range up to the checkpoint behind it", async () => {
    const later = await download(`from=${daysAgo(1)}&to=${new Date(Date.now() + 1000).toISOString()}`);
    expect(await check(later)).toMatchObject({ status: "intact", breaks: [] });
    const none = await download(`from=${daysAgo(20)}&to=${daysAgo(10)}`);
    expect(await check(none)).toMatchObject({ status: "empty", rowsChecked: 0 });
  });

  it("says that the beginning was pruned", async () => {
    const { id } = await createOrg();
    const owner = await createUser({ orgId: id, role: "org_admin" });
    await appendAudit(roles.app, [...auditRows(id, 5, { timestamp: daysAgo(500) }), ...auditRows(id, 3)]);
    await roles.admin.begin(async (tx) => {
      await tx`SET LOCAL trailmark.prune = 'on'`;
      await tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq <= 5`;
    });
    const { text } = await call(getEvidence, { token: owner });
    expect(await check(text)).toMatchObject({ status: "intact", firstSeq: 6, prunedPrefix: { throughSeq: 5 } });
    expect(python(text)).toBe(0);
  });

  const edit = (change: (all: string[]) => string[]) => `${change(lines(bundle)).join("\n")}\n`;
  const rowAt = (all: string[], seq: number) => all.findIndex((line) => line.includes(`"chainSeq":${seq},`));
  const broken: [string, () => string, number][] = [
    ["an altered row", () => bundle.replace(/("chainSeq":12,.*?"action":")[^"]+/, "$1device.delete"), 12],
    ["a row taken out", () => edit((all) => all.filter((_, i) => i !== rowAt(all, 12))), 12],
    [
      "two rows swapped",
      () =>
        edit((all) => {
          const at = rowAt(all, 12);
          return [...all.slice(0, at), all[at + 1] as string, all[at] as string, ...all.slice(at + 2)];
        }),
      12,
    ],
    ["a cut tail", () => edit((all) => all.slice(0, rowAt(all, 20))), 20],
    ["a forged checkpoint", () => bundle.replace(/\\n30\\n/, "\\n29\\n"), 29],
  ];

  it.each(broken)("with %s is broken, and both verifiers say so", async (_, make, seq) => {
    const changed = make();
    expect(changed).not.toBe(bundle);
    const found = await check(changed);
    expect(found.status).toBe("broken");
    expect("breaks" in found && found.breaks.some((b) => b.seq === seq)).toBe(true);
    expect(python(changed)).toBe(1);
  });

  it("signed by somebody else is broken for whoever brings the published key", async () => {
    const key = "elsewhere+00000000+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    expect((await check(bundle, { trustedKeys: [key] })).status).toBe("broken");
  });

  it("that is none is unreadable", async () => {
    expect((await check("hello")).status).toBe("unreadable");
    expect((await check('{"type":"header"}')).status).toBe("unreadable");
    expect(python("hello")).toBe(2);
  });

  it("needs audit:export and the organization", async () => {
    const viewer = await createUser({ orgId, role: "org_viewer" });
    expect((await call(getEvidence, { token: viewer })).status).toBe(403);
    const stranger = await createUser();
    expect((await call(getEvidence, { path: `/?orgId=${orgId}`, token: stranger })).status).toBe(403);
  });

  it("is limited to a few at once, and a download that ends makes room", async () => {
    const { id: large } = await createOrg();
    const ctx = await ctxFor(await createUser({ orgId: large, role: "org_admin" }));
    // More than the streams hold, so that a download that nobody reads stays under way.
    const details = JSON.stringify({ note: "x".repeat(4_000) });
    await appendAudit(roles.app, auditRows(large, 500, { details }));
    const begin = () => exportEvidence(ctx, { orgId: large });
    const open = await Promise.all(Array.from({ length: MAX_EXPORTS_AT_ONCE }, begin));
    await expect(begin()).rejects.toMatchObject({ code: "rate_limited" });
    await open[0]?.text();
    await open[1]?.body?.cancel();
    await vi.waitFor(async () => expect((await (await begin()).text()).length).toBeGreaterThan(2_000_000));
    await Promise.all(open.slice(2).map((answer) => answer.text()));
  });
});
