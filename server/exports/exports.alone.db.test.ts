import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { apiKeys, auditExports, users } from "@/db/schema";
import { GUID } from "@/server/ground/text";
import { appendEvents } from "@/testing/audit-entries";
import { roles } from "@/testing/chain";
import {
  auditRows,
  bearer,
  call,
  changeRows,
  createApiKey,
  createOrg,
  createPartner,
  createUser,
  rowsIn,
  type TestUser,
} from "@/testing/factories";
import { workOff } from "@/testing/jobs";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { sweepExports } from "./drop";
import { createExportsFolder, exportPath, exportsFolder } from "./files";
import { exportWork } from "./run";
import { DOWNLOAD_SLOTS, KEEP_MS, MAX_UNFINISHED } from "./schema";

let dir: string;
beforeAll(async () => {
  dir = tempFolder();
  withSettings({ TRAILMARK_DATA_DIR: dir });
  createExportsFolder();
});

const at = (second: number) => new Date(Date.UTC(2026, 8, 1, 0, 0, second));
const t = auditExports;
const stored = async (id: string) => (await rowsIn(t, { id }))[0];
const change = (id: string, values: Partial<typeof t.$inferInsert>) => changeRows(t, { id }, values);
const read = (id: string, caller: Parameters<typeof call>[0]) => call(caller, `GET /audit-logs/exports/${id}/file`);
const exported = async (orgId: string) =>
  (await auditRows(orgId)).filter((row) => row.action.startsWith("audit_logs.export"));

/** An organization with so many entries, and its administrator. */
async function arrange(count: number) {
  const { id: orgId } = await createOrg({ name: "Contoso Dental" });
  await appendEvents(
    Array.from({ length: count }, (_, i) => ({ orgId, timestamp: at(i), resourceName: `R-${i}`, details: { i } })),
  );
  return { orgId, admin: await createUser({ orgId, role: "org_admin" }) };
}

async function ask(token: TestUser, body: object = {}) {
  const answer = await call(token, "POST /audit-logs/exports", { format: "ndjson", ...body });
  expect(answer.status, answer.text).toBe(202);
  return answer.body as { id: string; fileName: string; status: string };
}

async function done(token: TestUser, body: object = {}) {
  const { id } = await ask(token, body);
  await workOff(exportWork);
  return (await call(token, `GET /audit-logs/exports/${id}`)).body;
}

describe("background export", () => {
  it("writes every matching entry, newest first, and is recorded when done", async () => {
    const { orgId, admin } = await arrange(12_005);
    const job = await done(admin, { filters: { action: "device" } });
    expect(job).toMatchObject({ status: "done", rowsDone: 12_005, totalRows: 12_005, error: null });
    const { text, headers } = await read(job.id, admin);
    const lines = text.trimEnd().split("\n");
    expect(lines).toHaveLength(12_005);
    expect(new Set(lines).size).toBe(12_005);
    const first = await call(admin, "GET /audit-logs/logs?action=device&limit=3");
    expect(lines.slice(0, 3).map((line) => JSON.parse(line))).toEqual(first.body.data);
    expect(JSON.parse(lines.at(-1) as string).details).toEqual({ i: 0 });
    expect(headers.get("etag")).toBe(`"${job.sha256}"`);
    expect(headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    const [entry] = await exported(orgId);
    expect(entry).toMatchObject({
      action: "audit_logs.export",
      actorEmail: admin.email,
      result: "success",
      ipAddress: "127.0.0.1",
      details: { format: "ndjson", filters: { action: "device" }, rows: 12_005, exportId: job.id, sha256: job.sha256 },
    });
  });

  it.for<[string, object, (i: number) => boolean, object?]>([
    ["a common word", { q: "r-1" }, (i: number) => `R-${i}`.includes("R-1")],
    ["a result without entries", { result: "denied" }, () => false],
    ["a range", {}, (i: number) => i >= 100 && i <= 199, { from: at(100), to: at(199) }],
  ])("matches the list for %s", async ([_, filters, matches, dateRange]) => {
    const { admin } = await arrange(600);
    const job = await done(admin, { filters: { ...filters }, dateRange });
    const lines = (await read(job.id, admin)).text.split("\n").filter(Boolean);
    const right = Array.from({ length: 600 }, (_, i) => i)
      .filter(matches)
      .reverse();
    expect(lines.map((line) => JSON.parse(line).details.i)).toEqual(right);
  });

  it("merges a partner's organizations in list order", async () => {
    const partner = await createPartner();
    const orgs = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
    await appendEvents(
      Array.from({ length: 300 }, (_, i) => ({
        orgId: orgs[(i * 7) % 2]?.id as string,
        timestamp: at(i % 50),
        details: { i },
      })),
    );
    const chief = await createUser({ partnerId: partner.id, role: "partner_admin" });
    const job = await done(chief, { format: "json", filters: { action: "device" } });
    const file = JSON.parse((await read(job.id, chief)).text);
    const pages = [];
    for (const page of [1, 2, 3])
      pages.push(...(await call(chief, `GET /audit-logs/logs?action=device&limit=100&page=${page}`)).body.data);
    expect(file).toEqual({ data: pages, total: 300, truncated: false });
    for (const { id } of orgs)
      expect(await exported(id)).toMatchObject([{ details: { rows: 150 } }, { action: "audit_logs.export.download" }]);
  });

  it("contains only the entries of the selected organizations", async () => {
    const operator = await createUser({ role: "system_admin" });
    const orgIds = [await createOrg(), await createOrg(), await createOrg()].map(({ id }) => id);
    const chief = await createUser({ role: "partner_admin" });
    await appendEvents(
      orgIds.map((orgId) => ({
        orgId,
        timestamp: at(1),
        action: "backup.create",
        actorType: "user" as const,
        actorId: chief.id,
      })),
    );
    const linesOf = async (body: object) => {
      const { id } = await done(operator, { ...body, dateRange: { from: at(1), to: at(1) } });
      const { text } = await read(id, operator);
      return text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    };
    const chosen = orgIds.slice(1).sort();
    for (const body of [{ orgId: chosen }, { filters: { orgId: chosen } }])
      expect((await linesOf(body)).map(({ orgId }) => orgId).sort()).toEqual(chosen);
    const whole = await linesOf({ filters: { action: "backup.create" } });
    expect(whole.map(({ orgId }) => orgId).sort()).toEqual([...orgIds].sort());
    expect(whole[0].user.name).toBe(chief.name);
  });

  it("names each entry's organization in a partner's Excel export", async () => {
    const partner = await createPartner();
    const names = ["Praxis Müller", "Zahnärzte Süd"];
    for (const [i, name] of names.entries()) {
      const { id: orgId } = await createOrg({ partnerId: partner.id, name });
      await appendEvents([{ orgId, timestamp: at(i), resourceType: "device", resourceName: "WS-1" }]);
    }
    const chief = await createUser({ partnerId: partner.id, role: "partner_admin" });
    const job = await done(chief, { format: "spreadsheet", filters: { action: "device" } });
    expect(job).toMatchObject({ status: "done", rowsDone: 2, fileName: expect.stringMatching(/\.csv$/) });
    const file = readFileSync(exportPath(job.id, 1));
    expect(file.subarray(0, 3).toString("hex")).toBe("efbbbf");
    const rows: Record<string, string>[] = parse(file, { bom: true, columns: true });
    expect(rows.map(({ organization }) => organization)).toEqual(names.reverse());
    expect(rows.map(({ id }) => id)).toEqual([expect.stringMatching(GUID), expect.stringMatching(GUID)]);
  });

  it("shows a platform operator the same names as the list", async () => {
    const operator = await createUser({ role: "system_admin" });
    const org = await createOrg();
    const chief = await createUser({ role: "partner_admin", partnerId: org.partnerId });
    const byChief = { actorType: "user" as const, actorId: chief.id, actorEmail: chief.email };
    await appendEvents([
      { orgId: org.id, ...byChief },
      { orgId: (await createOrg()).id, ...byChief },
    ]);
    const job = await done(operator, { filters: { orgId: org.id } });
    const listed = await call(operator, `GET /audit-logs/logs?orgId=${org.id}&action=device`);
    expect(listed.body.data).toMatchObject([{ user: { name: chief.name, role: "partner_admin" } }]);
    expect(JSON.parse((await read(job.id, operator)).text)).toEqual(listed.body.data[0]);
  });

  it("contains the entries present at its start, even after a restart", async () => {
    const { orgId, admin } = await arrange(40);
    const { id } = await ask(admin);
    const stopped = exportWork.run({ id }, { signal: AbortSignal.abort(), attempt: 1 });
    await expect(stopped).rejects.toThrow("aborted");
    expect(await stored(id)).toMatchObject({ status: "running", attempt: 0, heads: { [orgId]: 40 } });
    expect(readdirSync(exportsFolder()).filter((name) => name.startsWith(id))).toEqual([]);
    await appendEvents([{ orgId, timestamp: at(20), details: { late: true } }]);
    await workOff(exportWork);
    const { text } = await read(id, admin);
    expect(text.trimEnd().split("\n")).toHaveLength(40);
    expect(text).not.toContain("late");
  });

  it("is taken over from a dead process, written and recorded once", async () => {
    const { orgId, admin } = await arrange(10);
    const { id } = await ask(admin);
    // The first process began, and wakes up again while the other one has written it.
    await change(id, { status: "running", attempt: 1 });
    await workOff(exportWork);
    await exportWork.run({ id }, { signal: new AbortController().signal, attempt: 2 });
    expect(await stored(id)).toMatchObject({ status: "done", attempt: 2, rowsDone: 10 });
    expect((await exported(orgId)).filter((row) => row.action === "audit_logs.export")).toHaveLength(1);
    expect((await read(id, admin)).status).toBe(200);
  });

  it("reports a full disk, leaves no file and is not recorded as done", async () => {
    const { orgId, admin } = await arrange(200);
    const { id } = await ask(admin, { format: "csv" });
    symlinkSync("/dev/full", exportPath(id, 1));
    await workOff(exportWork);
    expect(await stored(id)).toMatchObject({ status: "failed", error: expect.stringContaining("disk is full") });
    expect(readdirSync(exportsFolder()).filter((name) => name.startsWith(id))).toEqual([]);
    expect((await read(id, admin)).status).toBe(409);
    expect(await exported(orgId)).toMatchObject([
      {
        action: "audit_logs.export",
        result: "failure",
        actorEmail: admin.email,
        errorMessage: expect.stringContaining("disk is full"),
      },
    ]);
  });

  it("is compressed on request, named after organization and range, and private on disk", async () => {
    const { admin } = await arrange(30);
    const job = await done(admin, {
      format: "csv",
      gzip: true,
      timeZone: "Europe/Berlin",
      dateRange: { from: "2026-08-31T22:00:00Z", to: "2026-09-01T07:30:00Z" },
    });
    expect(job.fileName).toBe("audit-contoso-dental-2026-09-01-to-2026-09-01-0930.csv.gz");
    const path = exportPath(job.id, 1);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(exportsFolder()).mode & 0o777).toBe(0o700);
    const { headers } = await read(job.id, admin);
    expect(headers.get("content-type")).toBe("application/gzip");
    expect(headers.get("content-disposition")).toBe(`attachment; filename="${job.fileName}"`);
    expect((await read(job.id, await createApiKey())).status).toBe(403);
    expect(gunzipSync(readFileSync(path)).toString().split("\r\n")).toHaveLength(32);
  });

  it("resumes with a range of the same file, and restarts for another one", async () => {
    const { orgId, admin } = await arrange(50);
    const { id, sha256, sizeBytes } = await done(admin);
    const whole = (await read(id, admin)).text;
    const part = async (headers: Record<string, string>) => read(id, { token: admin, headers });
    const rest = await part({ Range: "bytes=1000-", "If-Range": `"${sha256}"` });
    expect([rest.status, rest.headers.get("content-range")]).toEqual([206, `bytes 1000-${sizeBytes - 1}/${sizeBytes}`]);
    expect(whole.slice(0, 1000) + rest.text).toBe(whole);
    expect((await part({ Range: "bytes=1000-", "If-Range": '"another"' })).status).toBe(200);
    const past = await part({ Range: `bytes=${sizeBytes}-` });
    expect([past.status, past.body.code, past.headers.get("content-range")]).toEqual([
      416,
      "range_not_satisfiable",
      `bytes */${sizeBytes}`,
    ]);
    const downloads = (await exported(orgId)).filter((row) => row.action === "audit_logs.export.download");
    expect(downloads.map((row) => [row.result, (row.details as { firstByte: number }).firstByte])).toEqual([
      ["success", 0],
      ["success", 1000],
      ["success", 0],
    ]);
  });

  it("is visible to its creator only", async () => {
    const { orgId, admin } = await arrange(5);
    const job = await done(admin);
    const colleague = await createUser({ orgId, role: "org_admin" });
    const key = await createApiKey({ orgId, permissions: ["audit:export", "audit:read"] });
    for (const token of [colleague, key, await createUser()]) {
      const path = `/audit-logs/exports/${job.id}`;
      for (const line of [`GET ${path}`, `DELETE ${path}`, `GET ${path}/file`])
        expect((await call(token, line)).status).toBe(404);
      expect((await call(token, "GET /audit-logs/exports")).body).toEqual({ data: [] });
    }
    expect((await call(admin, "GET /audit-logs/exports")).body.data).toMatchObject([{ id: job.id }]);
    const viewer = await createUser({ orgId, role: "org_viewer" });
    expect((await call(viewer, "POST /audit-logs/exports", {})).status).toBe(403);
    const stranger = await createUser();
    expect((await call(stranger, "POST /audit-logs/exports", { orgId })).status).toBe(403);
    expect((await call(stranger, "POST /audit-logs/exports", { filters: { orgId } })).status).toBe(403);
  });

  it("limits concurrent downloads and rejects further ones immediately", async () => {
    const { admin } = await arrange(5);
    const { id } = await done(admin);
    const tooMany = 3;
    const statuses: number[] = [];
    // Signed in before: how long the downloads wait for the table, a share of requests bounds.
    const token = await bearer(admin);
    const get = async () => void statuses.push((await read(id, { token })).status);
    let asked: Promise<unknown> = Promise.resolve();
    await roles.owner.begin(async (tx) => {
      await tx`LOCK TABLE audit_exports IN ACCESS EXCLUSIVE MODE`;
      asked = Promise.all(Array.from({ length: DOWNLOAD_SLOTS.max + tooMany }, get));
      await vi.waitFor(() => expect(statuses).toEqual(Array(tooMany).fill(429)), { timeout: 10_000 });
    });
    await asked;
    expect(statuses.slice(tooMany)).toEqual(Array(DOWNLOAD_SLOTS.max).fill(200));
    expect((await read(id, admin)).status).toBe(200);
    for (let n = 0; n <= DOWNLOAD_SLOTS.max; n++)
      expect((await read(id, { token: admin, headers: { Range: "bytes=99999-" } })).status).toBe(416);
  });

  it("is limited per caller", async () => {
    const { admin } = await arrange(1);
    for (const _ of [1, 2, 3]) await ask(admin);
    const refused = await call(admin, "POST /audit-logs/exports", {});
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    const said = ["retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
    expect(said.map((name) => refused.headers.get(name))).toEqual(["30", String(MAX_UNFINISHED), "0", "30"]);
  });

  it("stops when deleted while running, and records it", async () => {
    const { orgId, admin } = await arrange(5);
    const { id } = await ask(admin);
    const holding = await roles.owner.reserve();
    await holding`BEGIN`;
    await holding`LOCK TABLE audit_logs IN ACCESS EXCLUSIVE MODE`;
    const work = exportWork.run({ id }, { signal: new AbortController().signal, attempt: 1 });
    await expect.poll(async () => (await stored(id))?.status).toBe("running");
    expect((await call(admin, `DELETE /audit-logs/exports/${id}`)).status).toBe(204);
    await holding`ROLLBACK`;
    holding.release();
    await work;
    expect(await stored(id)).toBeUndefined();
    expect(readdirSync(exportsFolder()).filter((name) => name.startsWith(id))).toEqual([]);
    expect(await exported(orgId)).toMatchObject([
      { result: "failure", errorMessage: expect.stringContaining("cancelled") },
    ]);
  });

  it.each([
    ["its day has passed", async (_: TestUser, id: string) => change(id, { expiresAt: new Date(Date.now() - 1) })],
    ["the user is disabled", (user: TestUser) => changeRows(users, { id: user.id }, { disabledAt: new Date() })],
    ["the user may no longer export", (user: TestUser) => changeRows(users, { id: user.id }, { role: "org_viewer" })],
  ])("is deleted with its file when %s", async (_, ending) => {
    const { admin } = await arrange(3);
    const job = await done(admin);
    expect(Date.parse(job.expiresAt) - Date.parse(job.createdAt)).toBe(KEEP_MS);
    await sweepExports();
    expect((await read(job.id, admin)).status).toBe(200);
    await ending(admin, job.id);
    await sweepExports();
    expect(await stored(job.id)).toBeUndefined();
    expect(readdirSync(exportsFolder()).filter((name) => name.startsWith(job.id))).toEqual([]);
  });

  it("fails if its creator loses access or its key is revoked first", async () => {
    const partner = await createPartner();
    const [a, b] = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
    await appendEvents([{ orgId: a.id }, { orgId: b.id }]);
    const key = await createApiKey({ partnerId: partner.id, permissions: ["audit:export"] });
    const { body } = await call(key, "POST /audit-logs/exports", {});
    await changeRows(apiKeys, { id: key.id }, { revokedAt: new Date() });
    const limited = await createUser({ partnerId: partner.id, role: "partner_admin", organizationIds: [a.id, b.id] });
    const { id } = await ask(limited);
    await changeRows(users, { id: limited.id }, { role: "org_admin", orgId: a.id });
    await workOff(exportWork);
    for (const job of [body.id, id])
      expect(await stored(job)).toMatchObject({
        status: "failed",
        error: expect.stringContaining("no longer has access"),
      });
    expect((await call(limited, `GET /audit-logs/exports/${id}`)).status).toBe(404);
    expect((await call(limited, `GET /audit-logs/exports/${randomUUID()}`)).status).toBe(404);
  });
});
