import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { POST as createKey } from "@/app/api/v1/api-keys/route";
import { POST as exportLogs } from "@/app/api/v1/audit-logs/export/route";
import { POST as stepUp } from "@/app/api/v1/me/step-up/route";
import { PUT as setRetention } from "@/app/api/v1/orgs/organizations/[id]/audit-retention/route";
import { asSystem } from "@/db/client";
import { userSessions } from "@/db/schema";
import type { RouteHandler } from "@/server/http/route";
import { appRouter } from "@/server/trpc/root";
import {
  auditRows,
  bearer,
  call,
  createApiKey,
  createUser,
  ctxFor,
  PASSWORD,
  type TestUser,
} from "@/testing/factories";

type Sent = { method?: string; body: object; params?: Record<string, string> };

/** A person whose last proof is eleven minutes old, as a browser and as a script. */
async function stale() {
  const user = await createUser({ role: "org_admin" });
  const token = await bearer(user);
  const provenAt = new Date(Date.now() - 11 * 60_000);
  await asSystem((tx) => tx.update(userSessions).set({ provenAt }).where(eq(userSessions.userId, user.id)));
  const headers = { cookie: `trailmark.session=${token}`, origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" };
  const browser = (handler: RouteHandler, sent: Sent) => call(handler, { ...sent, headers });
  return { user, token, browser };
}
const key = (user: TestUser) => ({ name: "K", orgId: user.orgId, permissions: ["audit:read"] });

describe("a fresh proof of who one is", () => {
  it("is asked of a browser before keys, retention and the export of everything, and one covers all of them", async () => {
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

  it("is not asked for an export that a filter or a range narrows", async () => {
    const { browser } = await stale();
    const from = new Date().toISOString();
    expect((await browser(exportLogs, { body: { dateRange: { from } } })).status).toBe(200);
    expect((await browser(exportLogs, { body: { filters: { action: "user.login" } } })).status).toBe(200);
  });

  it("is not asked of scripts: access tokens and API keys go on", async () => {
    const { user, token } = await stale();
    expect((await call(createKey, { token, body: key(user) })).status).toBe(201);
    expect((await call(exportLogs, { token, body: { format: "json" } })).status).toBe(200);
    const program = await createApiKey({ orgId: user.orgId as string, permissions: ["api_keys:manage", "audit:read"] });
    expect((await call(createKey, { token: program, body: key(user) })).status).toBe(201);
  });

  it("is asked at the other door too, before an import runs", async () => {
    const ctx = await ctxFor("partner_admin");
    const session = { id: crypto.randomUUID(), viaCookie: true, provenAt: new Date(0) };
    const { imports } = appRouter.createCaller({ caller: { ...ctx, session }, requestId: "r" });
    await expect(imports.run({ id: crypto.randomUUID() })).rejects.toMatchObject({
      code: "FORBIDDEN",
      cause: { code: "step_up_required" },
    });
  });
});
