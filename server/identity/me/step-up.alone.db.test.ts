import { beforeAll, describe, expect, it } from "vitest";
import { userSessions } from "@/db/schema";
import { MAX_UNPROVEN_ROWS } from "@/server/audit/vocabulary";
import { appRouter } from "@/server/doors/trpc/root";
import { createExportsFolder } from "@/server/exports/files";
import { exportWork } from "@/server/exports/run";
import { appendEvents } from "@/testing/audit-entries";
import {
  auditRows,
  bearer,
  call,
  changeRows,
  createApiKey,
  createDevice,
  createUser,
  ctxFor,
  PASSWORD,
  type TestUser,
} from "@/testing/factories";
import { workOff } from "@/testing/jobs";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";

/** A person whose last proof is eleven minutes old, as a browser and as a script. */
async function stale() {
  const user = await createUser({ role: "org_admin" });
  const token = await bearer(user);
  const change = (values: Partial<typeof userSessions.$inferInsert>) =>
    changeRows(userSessions, { userId: user.id }, values);
  const prove = (minutesAgo: number) => change({ provenAt: new Date(Date.now() - minutesAgo * 60_000) });
  await prove(11);
  const headers = { cookie: `trailmark.session=${token}`, origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" };
  const browser = (line: string, body?: object, more = {}) => call({ headers: { ...headers, ...more } }, line, body);
  return { user, token, browser, change, prove };
}
const key = (user: TestUser) => ({ name: "K", orgId: user.orgId, permissions: ["audit:read"] });

describe("step-up authentication", () => {
  it("is required in a browser for keys, retention and full exports, once for all", async () => {
    const { user, browser } = await stale();
    const deeds = [
      () => browser("POST /api-keys", key(user)),
      () => browser(`PUT /orgs/organizations/${user.orgId}/audit-retention`, { retentionDays: 400 }),
      () => browser("POST /audit-logs/export", { format: "json" }),
    ];
    for (const deed of deeds) expect((await deed()).body).toMatchObject({ status: 403, code: "step_up_required" });
    expect((await browser("POST /me/step-up", { password: "not it" })).status).toBe(400);
    expect((await browser("POST /me/step-up", { password: PASSWORD })).status).toBe(200);
    expect([(await deeds[0]?.())?.status, (await deeds[1]?.())?.status, (await deeds[2]?.())?.status]).toEqual([
      201, 200, 200,
    ]);
    const steps = (await auditRows(user.orgId as string)).filter((r) => r.action === "user.step_up");
    expect(steps.map((r) => r.result)).toEqual(["failure", "success"]);
  });

  it("is not required for an export narrowed by filter or time range", async () => {
    const { browser } = await stale();
    const from = new Date().toISOString();
    expect((await browser("POST /audit-logs/export", { dateRange: { from } })).status).toBe(200);
    expect((await browser("POST /audit-logs/export", { filters: { action: "user.login" } })).status).toBe(200);
  });

  it("is not required for access tokens and API keys of scripts", async () => {
    const { user, token } = await stale();
    expect((await call(token, "POST /api-keys", key(user))).status).toBe(201);
    expect((await call(token, "POST /audit-logs/export", { format: "json" })).status).toBe(200);
    const program = await createApiKey({ orgId: user.orgId as string, permissions: ["api_keys:manage", "audit:read"] });
    expect((await call(program, "POST /api-keys", key(user))).status).toBe(201);
  });

  it("is required over tRPC before an import runs or is undone", async () => {
    const ctx = await ctxFor("partner_admin");
    const session = { id: crypto.randomUUID(), viaBrowser: true, provenAt: new Date(0) };
    const { imports } = appRouter.createCaller({ caller: { ...ctx, session }, requestId: "r" });
    for (const deed of [imports.run, imports.undo])
      await expect(deed({ id: crypto.randomUUID() })).rejects.toMatchObject({
        code: "FORBIDDEN",
        cause: { code: "step_up_required" },
      });
  });

  it("is required for a token taken from a browser's cookie, however it is sent", async () => {
    const { user, token, change } = await stale();
    await change({ via: "browser" });
    expect((await call(token, "POST /api-keys", key(user))).body.code).toBe("step_up_required");
    expect((await call(token, "POST /me/step-up", { password: PASSWORD })).status).toBe(200);
    expect((await call(token, "POST /api-keys", key(user))).status).toBe(201);
  });

  it("is required before granting access or disabling two-factor, not before revoking access", async () => {
    const { user, browser, prove } = await stale();
    const orgId = user.orgId as string;
    const viewer = await createUser({ role: "org_viewer", orgId });
    const program = await createApiKey({ orgId, permissions: ["audit:read"] });
    const person = { email: `${crypto.randomUUID()}@example.test`, name: "N", role: "org_viewer" };
    const deeds = [
      () => browser("POST /users", person),
      () => browser(`POST /users/${viewer.id}/invite`),
      () => browser(`PATCH /users/${viewer.id}`, { role: "org_technician" }),
      () => browser(`PATCH /users/${viewer.id}`, { disabled: false }),
      () => browser(`PATCH /api-keys/${program.id}`, { permissions: ["audit:read", "devices:read"] }),
      () => browser("POST /enrollment-keys", {}),
      () => browser(`PATCH /orgs/organizations/${orgId}`, { requireTwoFactor: false }),
    ];
    for (const deed of deeds) expect((await deed()).body).toMatchObject({ status: 403, code: "step_up_required" });
    expect((await browser(`PATCH /users/${viewer.id}`, { disabled: true })).status).toBe(200);
    expect((await browser(`PATCH /api-keys/${program.id}`, { name: "Renamed" })).status).toBe(200);
    await prove(0);
    for (const deed of deeds.filter((_, i) => i !== 1)) expect((await deed()).status).toBeLessThan(300);
  });

  it("is required before releasing an agent, deleting data and turning off emails", async () => {
    const { user, browser, prove } = await stale();
    const orgId = user.orgId as string;
    const device = await createDevice({ orgId });
    const remove = (path: string) => browser(`DELETE ${path}/${crypto.randomUUID()}`);
    const deeds = [
      () => browser(`POST /devices/${device.id}/agent/release`),
      () => remove("/webhooks"),
      () => remove("/api-keys"),
      () => remove("/custom-fields"),
      () => browser("PUT /me/notification-settings", { mailKinds: [] }),
    ];
    for (const deed of deeds) expect((await deed()).body).toMatchObject({ status: 403, code: "step_up_required" });
    expect((await browser("PUT /me/notification-settings", { productKinds: [] })).status).toBe(200);
    await prove(0);
    const statuses = await Promise.all(deeds.map(async (deed) => (await deed()).status));
    expect(statuses).toEqual([200, 404, 404, 404, 200]);
  });

  it("is required before sharing a proof for more than 30 days", async () => {
    const session = { id: crypto.randomUUID(), viaBrowser: true, provenAt: new Date(0) };
    const { proofs } = appRouter.createCaller({ caller: { ...(await ctxFor("org_admin")), session }, requestId: "r" });
    const id = crypto.randomUUID();
    await expect(proofs.share({ id, days: 31 })).rejects.toMatchObject({ cause: { code: "step_up_required" } });
    await expect(proofs.share({ id, days: 30 })).rejects.toMatchObject({ cause: { code: "not_found" } });
  });

  it("is required again before an idempotent response is replayed", async () => {
    const { user, browser, prove } = await stale();
    const again = () => browser("POST /api-keys", key(user), { "idempotency-key": "the-same" });
    await prove(0);
    const first = await again();
    expect(first.status).toBe(201);
    await prove(11);
    expect((await again()).body.code).toBe("step_up_required");
    await prove(0);
    expect((await again()).body).toEqual(first.body);
  });

  describe("for large exports", () => {
    let dir: string;
    beforeAll(async () => {
      dir = tempFolder();
      withSettings({ TRAILMARK_DATA_DIR: dir });
      createExportsFolder();
    });

    const ASKED = { status: 403, code: "step_up_required" };
    const ACTOR = "0190f4c2-0000-7000-8000-0000000000aa";
    const narrowed = { dateRange: { from: "2000-01-01T00:00:00Z" } };
    const filtered = { filters: { actorType: "user" } };
    const searched = { filters: { q: "counted" } };

    async function withEntries(count: number) {
      const found = await stale();
      const event = { orgId: found.user.orgId as string, actorType: "user" as const, actorId: ACTOR };
      await appendEvents(Array.from({ length: count }, () => ({ ...event, resourceName: "counted" })));
      return found;
    }

    it("is required with any filter, but not up to the print limit", async () => {
      // Each export is an entry itself.
      const { user, browser, token } = await withEntries(MAX_UNPROVEN_ROWS - 10);
      const bodies = [narrowed, filtered, searched];
      for (const body of bodies) expect((await browser("POST /audit-logs/export", body)).status).toBe(200);
      expect((await browser(`GET /audit-logs/export?userId=${ACTOR}`)).status).toBe(200);
      const orgId = user.orgId as string;
      const more = { orgId, actorType: "user" as const, actorId: ACTOR, resourceName: "counted" };
      await appendEvents(Array.from({ length: 11 }, () => more));
      for (const body of bodies) {
        expect((await browser("POST /audit-logs/export", body)).body).toMatchObject(ASKED);
        expect((await browser("POST /audit-logs/exports", body)).body).toMatchObject(ASKED);
      }
      expect((await browser(`GET /audit-logs/export?userId=${ACTOR}`)).body).toMatchObject(ASKED);
      const left = (await auditRows(orgId)).filter((row) => row.action === "audit_logs.export");
      expect(left).toHaveLength(4);
      for (const body of bodies) expect((await call(token, "POST /audit-logs/export", body)).status).toBe(200);
    });

    it("is required again to download a large export file", async () => {
      const { user, browser, prove } = await withEntries(MAX_UNPROVEN_ROWS + 1);
      await appendEvents([{ orgId: user.orgId as string, resourceName: "one" }]);
      await prove(0);
      const { id } = (await browser("POST /audit-logs/exports", filtered)).body;
      const short = (await browser("POST /audit-logs/exports", { filters: { q: "one" } })).body;
      await workOff(exportWork);
      await prove(11);
      expect((await browser(`GET /audit-logs/exports/${id}/file`)).body).toMatchObject(ASKED);
      expect((await browser(`GET /audit-logs/exports/${short.id}/file`)).status).toBe(200);
      await prove(0);
      expect((await browser(`GET /audit-logs/exports/${id}/file`)).status).toBe(200);
    });

    it("is required for every evidence bundle, and refused ones are not recorded", async () => {
      const { user, browser, token, prove } = await withEntries(2);
      for (const query of ["", "?fromSeq=1&toSeq=1"])
        expect((await browser(`GET /audit-logs/evidence${query}`)).body).toMatchObject(ASKED);
      expect((await auditRows(user.orgId as string)).map((row) => row.action)).not.toContain("audit_logs.evidence");
      expect((await call(token, "GET /audit-logs/evidence")).status).toBe(200);
      await prove(0);
      expect((await browser("GET /audit-logs/evidence")).status).toBe(200);
    });
  });
});
