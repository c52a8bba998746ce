import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { GET as getEvidence } from "@/app/api/v1/audit-logs/evidence/route";
import { checksumOf } from "@/server/audit/chain/chain-hash";
import { signerName, signingKeys, vkeyOf } from "@/server/audit/chain/signing-key";
import { EXPORT_SLOTS } from "@/server/audit/entries/export-schema";
import { appendAudit } from "@/server/audit/record/append";
import { ED25519, formatVerifierKey } from "@/server/audit/tree/signed-note";
import { auditRows, closeRoles, daysAgo, roles } from "@/testing/chain";
import { checkText } from "@/testing/evidence";
import { call, createOrg, createUser, ctxFor, auditRows as recordedRows, type TestUser } from "@/testing/factories";
import { testKey } from "@/testing/notes";
import { permit } from "@/testing/permit";
import { exportEvidence } from "./evidence";

const folder = mkdtempSync(join(tmpdir(), "trailmark-evidence-"));
const PYTHON = join(process.cwd(), "docs", "verify_bundle.py");

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await closeRoles();
});

const lines = (bundle: string) => bundle.replace(/\n$/, "").split("\n");
const ownKeys = () => signingKeys().map(vkeyOf);
/** Held to this installation's own key, unless the test says otherwise. */
const check = (bundle: string, trustedKeys: readonly string[] = ownKeys()) => checkText(bundle, { keys: trustedKeys });

/** Exit code of the independent verifier: 0 intact, 1 broken, 2 unreadable, 3 not proven. */
function python(bundle: string, trustedKeys: readonly string[] = ownKeys()): number {
  const file = join(folder, "bundle.ndjson");
  writeFileSync(file, bundle);
  try {
    execFileSync("python3", [PYTHON, file, ...trustedKeys.flatMap((key) => ["--key", key])], { stdio: "pipe" });
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
    expect(await check(none)).toMatchObject({ status: "unproven", rowsChecked: 0 });
    expect(python(none)).toBe(3);
  });

  it("says that the beginning was pruned", async () => {
    const { id } = await createOrg();
    const owner = await createUser({ orgId: id, role: "org_admin" });
    await appendAudit(roles.app, [...auditRows(id, 5, { timestamp: daysAgo(500) }), ...auditRows(id, 3)]);
    await permit(id, 5);
    await roles.admin.begin(async (tx) => {
      await tx`SET LOCAL trailmark.prune = 'on'`;
      await tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq <= 5`;
    });
    const { text } = await call(getEvidence, { token: owner });
    expect(await check(text)).toMatchObject({
      status: "unproven",
      firstSeq: 6,
      receipt: { through: 5 },
      reasons: [expect.stringContaining("receipt")],
    });
    expect(python(text)).toBe(3);
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

  it("is not proven to whoever brings no key, or another one", async () => {
    const other = formatVerifierKey(testKey(7, signerName(), ED25519).key);
    for (const keys of [[], [other]]) {
      expect(await check(bundle, keys)).toMatchObject({
        status: "unproven",
        breaks: [],
        reasons: [expect.any(String)],
      });
      expect(python(bundle, keys)).toBe(3);
    }
  });

  /** Rows changed, then everything from there on hashed and linked anew, with the end line that goes with it. */
  function rewrite(change: (row: Record<string, unknown>) => void, keep: (line: string) => boolean): string {
    let prev: string | null | undefined;
    const rows = lines(bundle).flatMap((line) => {
      const item = JSON.parse(line) as Record<string, unknown>;
      if (item.type !== "row") return item.type === "end" || !keep(line) ? [] : [line];
      if (prev !== undefined) item.prevChecksum = prev;
      change(item);
      prev = checksumOf(item as never);
      item.checksum = prev;
      return [JSON.stringify(item)];
    });
    const body = `${rows.join("\n")}\n`;
    const digest = createHash("sha256").update(body).digest("hex");
    const count = rows.filter((line) => line.startsWith('{"type":"row"')).length;
    return `${body}${JSON.stringify({ type: "end", rows: count, digest })}\n`;
  }
  const forge = (row: Record<string, unknown>) => {
    if (row.chainSeq === 11) row.action = "device.harmless";
  };

  it("rewritten from a row on and without its checkpoints is not proven, with them broken", async () => {
    const stripped = rewrite(forge, (line) => !line.startsWith('{"type":"checkpoint"'));
    expect(await check(stripped)).toMatchObject({ status: "unproven", anchoredThrough: null });
    expect(python(stripped)).toBe(3);
    const kept = rewrite(forge, () => true);
    expect((await check(kept)).status).toBe("broken");
    expect(python(kept)).toBe(1);
  });

  it("with a member more, twice or in another place is broken: what one reads must be what is checked", async () => {
    for (const changed of [
      rewrite(
        () => {},
        () => true,
      ).replace('"action":', '"comment":"approved","action":'),
      rewrite(
        () => {},
        () => true,
      ).replace('"action":', '"action":"device.harmless","action":'),
      rewrite(
        () => {},
        () => true,
      ).replace('"action":', '"action": '),
    ]) {
      const lastLine = changed.trimEnd().lastIndexOf("\n");
      const body = changed.slice(0, lastLine + 1);
      const digest = createHash("sha256").update(body).digest("hex");
      const whole = `${body}${JSON.stringify({ type: "end", rows: 30, digest })}\n`;
      expect((await check(whole)).status).toBe("broken");
      expect(python(whole)).toBe(1);
    }
  });

  it("with a line that is none behind a good header is broken, not unreadable", async () => {
    for (const line of ["null", "{", "[]", '{"type":"surprise"}']) {
      const changed = edit((all) => [...all.slice(0, 4), line, ...all.slice(4)]);
      expect((await check(changed)).status).toBe("broken");
      expect(python(changed)).toBe(1);
    }
  });

  it("does not survive the change of any one byte of its lines but in what no signature covers", async () => {
    const small = bundle.length;
    const header = bundle.indexOf("\n");
    for (let at = header + 5; at < small - 1; at += 211) {
      const changed = bundle.slice(0, at) + (bundle[at] === "0" ? "1" : "0") + bundle.slice(at + 1);
      expect((await check(changed)).status, bundle.slice(at - 20, at + 20)).not.toBe("intact");
    }
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
    const begin = () => exportEvidence.run(ctx, { orgId: large });
    const open = await Promise.all(Array.from({ length: EXPORT_SLOTS.max }, begin));
    const recorded = async () =>
      (await recordedRows(large)).filter((row) => row.action === "audit_logs.evidence").length;
    const before = await recorded();
    await expect(begin()).rejects.toMatchObject({ code: "rate_limited" });
    expect(await recorded()).toBe(before);
    await open[0]?.text();
    await open[1]?.body?.cancel();
    await vi.waitFor(async () => expect((await (await begin()).text()).length).toBeGreaterThan(2_000_000));
    await Promise.all(open.slice(2).map((answer) => answer.text()));
  });
});
