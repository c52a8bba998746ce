import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { DELETE as revokeKey, PATCH as updateKey } from "@/app/api/v1/api-keys/[id]/route";
import { POST as createKey } from "@/app/api/v1/api-keys/route";
import { GET as evidence } from "@/app/api/v1/audit-logs/evidence/route";
import { GET as exportCsv, POST as exportLogs } from "@/app/api/v1/audit-logs/export/route";
import { GET as download } from "@/app/api/v1/audit-logs/exports/[id]/file/route";
import { POST as createExport } from "@/app/api/v1/audit-logs/exports/route";
import { DELETE as deleteField } from "@/app/api/v1/custom-fields/[id]/route";
import { POST as releaseAgent } from "@/app/api/v1/devices/[id]/agent/release/route";
import { POST as createEnrollmentKey } from "@/app/api/v1/enrollment-keys/route";
import { PUT as setMails } from "@/app/api/v1/me/notification-settings/route";
import { POST as stepUp } from "@/app/api/v1/me/step-up/route";
import { PUT as setRetention } from "@/app/api/v1/orgs/organizations/[id]/audit-retention/route";
import { PATCH as updateOrganization } from "@/app/api/v1/orgs/organizations/[id]/route";
import { POST as invite } from "@/app/api/v1/users/[id]/invite/route";
import { PATCH as updateUser } from "@/app/api/v1/users/[id]/route";
import { POST as createAccount } from "@/app/api/v1/users/route";
import { DELETE as deleteWebhook } from "@/app/api/v1/webhooks/[id]/route";
import { asSystem } from "@/db/client";
import { userSessions } from "@/db/schema";
import { MAX_UNPROVEN_ROWS } from "@/server/audit/vocabulary";
import type { RouteHandler } from "@/server/doors/http/route";
import { appRouter } from "@/server/doors/trpc/root";
import { createExportsFolder } from "@/server/exports/files";
import { exportWork } from "@/server/exports/run";
import { appendEvents } from "@/testing/audit-entries";
import {
  auditRows,
  bearer,
  call,
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

type Sent = {
  method?: string;
  body?: object;
  path?: string;
  params?: Record<string, string>;
  more?: Record<string, string>;
};

/** A person whose last proof is eleven minutes old, as a browser and as a script. */
async function stale() {
  const user = await createUser({ role: "org_admin" });
  const token = await bearer(user);
  const change = (values: Partial<typeof userSessions.$inferInsert>) =>
    asSystem((tx) => tx.update(userSessions).set(values).where(eq(userSessions.userId, user.id)));
  const prove = (minutesAgo: number) => change({ provenAt: new Date(Date.now() - minutesAgo * 60_000) });
  await prove(11);
  const headers = { cookie: `trailmark.session=${token}`, origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" };
  const browser = (handler: RouteHandler, { more, ...sent }: Sent) =>
    call(handler, { ...sent, headers: { ...headers, ...more } });
  return { user, token, browser, change, prove };
}
const key = (user: TestUser) => ({ name: "K", orgId: user.orgId, permissions: ["audit:read"] });

describe("step-up authentication", () => {
  it("is required in a browser for keys, retention and full exports, once for all", async () => {
    const { user, browser } = await stale();
    const params = { id: user.orgId as string };
    const deeds = [
      () => browser(createKey, { body: key(user) }),
      () => browser(setRetention, { method: "PUT", params, body: { retentionDays: 400 } }),
      () => browser(exportLogs, { body: { format: "json" } }),
    ];
    for (const deed of deeds) expect((await deed()).body).toMatchObject({ status: 403, code: "step_up_required" });
    expect((await browser(stepUp, { body: { password: "not it" } })).status).toBe(400);
    expect((await browser(stepUp, { body: { password: PASSWORD } })).status).toBe(200);
    expect([(await deeds[0]?.())?.status, (await deeds[1]?.())?.status, (await deeds[2]?.())?.status]).toEqual([
      201, 200, 200,
    ]);
    const steps = (await auditRows(user.orgId as string)).filter((r) => r.action === "user.step_up");
    expect(steps.map((r) => r.result)).toEqual(["failure", "success"]);
  });

  it("is not required for an export narrowed by filter or time range", async () => {
    const { browser } = await stale();
    const from = new Date().toISOString();
    expect((await browser(exportLogs, { body: { dateRange: { from } } })).status).toBe(200);
    expect((await browser(exportLogs, { body: { filters: { action: "user.login" } } })).status).toBe(200);
  });

  it("is not required for access tokens and API keys of scripts", async () => {
    const { user, token } = await stale();
    expect((await call(createKey, { token, body: key(user) })).status).toBe(201);
    expect((await call(exportLogs, { token, body: { format: "json" } })).status).toBe(200);
    const program = await createApiKey({ orgId: user.orgId as string, permissions: ["api_keys:manage", "audit:read"] });
    expect((await call(createKey, { token: program, body: key(user) })).status).toBe(201);
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
    expect((await call(createKey, { token, body: key(user) })).body.code).toBe("step_up_required");
    expect((await call(stepUp, { token, body: { password: PASSWORD } })).status).toBe(200);
    expect((await call(createKey, { token, body: key(user) })).status).toBe(201);
  });

  it("is required before granting access or disabling two-factor, not before revoking access", async () => {
    const { user, browser, prove } = await stale();
    const orgId = user.orgId as string;
    const viewer = await createUser({ role: "org_viewer", orgId });
    const program = await createApiKey({ orgId, permissions: ["audit:read"] });
    const to = (id: string, body: object) => ({ method: "PATCH", params: { id }, body });
    const person = { email: `${crypto.randomUUID()}@example.test`, name: "N", role: "org_viewer" };
    const deeds = [
      () => browser(createAccount, { body: person }),
      () => browser(invite, { method: "POST", params: { id: viewer.id } }),
      () => browser(updateUser, to(viewer.id, { role: "org_technician" })),
      () => browser(updateUser, to(viewer.id, { disabled: false })),
      () => browser(updateKey, to(program.id, { permissions: ["audit:read", "devices:read"] })),
      () => browser(createEnrollmentKey, { body: {} }),
      () => browser(updateOrganization, to(orgId, { requireTwoFactor: false })),
    ];
    for (const deed of deeds) expect((await deed()).body).toMatchObject({ status: 403, code: "step_up_required" });
    expect((await browser(updateUser, to(viewer.id, { disabled: true }))).status).toBe(200);
    expect((await browser(updateKey, to(program.id, { name: "Renamed" }))).status).toBe(200);
    await prove(0);
    for (const deed of deeds.filter((_, i) => i !== 1)) expect((await deed()).status).toBeLessThan(300);
  });

  it("is required before releasing an agent, deleting data and turning off emails", async () => {
    const { user, browser, prove } = await stale();
    const orgId = user.orgId as string;
    const device = await createDevice({ orgId });
    const id = crypto.randomUUID();
    const remove = (handler: RouteHandler) => browser(handler, { method: "DELETE", params: { id } });
    const deeds = [
      () => browser(releaseAgent, { method: "POST", params: { id: device.id } }),
      () => remove(deleteWebhook),
      () => remove(revokeKey),
      () => remove(deleteField),
      () => browser(setMails, { method: "PUT", body: { mailKinds: [] } }),
    ];
    for (const deed of deeds) expect((await deed()).body).toMatchObject({ status: 403, code: "step_up_required" });
    expect((await browser(setMails, { method: "PUT", body: { productKinds: [] } })).status).toBe(200);
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
    const again = () => browser(createKey, { body: key(user), more: { "idempotency-key": "the-same" } });
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
      for (const body of bodies) expect((await browser(exportLogs, { body })).status).toBe(200);
      expect((await browser(exportCsv, { path: `/?userId=${ACTOR}` })).status).toBe(200);
      const orgId = user.orgId as string;
      const more = { orgId, actorType: "user" as const, actorId: ACTOR, resourceName: "counted" };
      await appendEvents(Array.from({ length: 11 }, () => more));
      for (const body of bodies) {
        expect((await browser(exportLogs, { body })).body).toMatchObject(ASKED);
        expect((await browser(createExport, { body })).body).toMatchObject(ASKED);
      }
      expect((await browser(exportCsv, { path: `/?userId=${ACTOR}` })).body).toMatchObject(ASKED);
      const left = (await auditRows(orgId)).filter((row) => row.action === "audit_logs.export");
      expect(left).toHaveLength(4);
      for (const body of bodies) expect((await call(exportLogs, { token, body })).status).toBe(200);
    });

    it("is required again to download a large export file", async () => {
      const { user, browser, prove } = await withEntries(MAX_UNPROVEN_ROWS + 1);
      await appendEvents([{ orgId: user.orgId as string, resourceName: "one" }]);
      await prove(0);
      const { id } = (await browser(createExport, { body: filtered })).body;
      const short = (await browser(createExport, { body: { filters: { q: "one" } } })).body;
      await workOff(exportWork);
      await prove(11);
      expect((await browser(download, { params: { id } })).body).toMatchObject(ASKED);
      expect((await browser(download, { params: { id: short.id } })).status).toBe(200);
      await prove(0);
      expect((await browser(download, { params: { id } })).status).toBe(200);
    });

    it("is required for every evidence bundle, and refused ones are not recorded", async () => {
      const { user, browser, token, prove } = await withEntries(2);
      for (const path of ["/", "/?fromSeq=1&toSeq=1"])
        expect((await browser(evidence, { path })).body).toMatchObject(ASKED);
      expect((await auditRows(user.orgId as string)).map((row) => row.action)).not.toContain("audit_logs.evidence");
      expect((await call(evidence, { token })).status).toBe(200);
      await prove(0);
      expect((await browser(evidence, {})).status).toBe(200);
    });
  });
});
