import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { describe, expect, it, vi } from "vitest";
import { organizations } from "@/db/schema";
import { actionSentence } from "@/server/audit/action-label";
import { closeFolds } from "@/server/audit/record/fold";
import { createContext } from "@/server/doors/trpc/handler";
import { appRouter } from "@/server/doors/trpc/root";
import { AppError } from "@/server/ground/errors";
import { DEFINITIONS } from "@/server/notify/notifications/kinds";
import { MANY_DENIALS } from "@/server/notify/vocabulary";
import {
  auditRows,
  bearer,
  call,
  changeRows,
  createApiKey,
  createOrg,
  createPartner,
  createUser,
  ctxFor,
  type TestUser,
} from "@/testing/factories";
import { recordDenied } from "./denied";

const deniedOf = async (orgId: string | null) =>
  (await auditRows(orgId ?? "")).filter(({ action }) => action === "user.permission.denied");

/** A procedure as a page asks for it, with the session's cookie. */
async function ask(path: string, user: TestUser, headers: Record<string, string> = {}): Promise<number> {
  const request = new Request(`http://127.0.0.1:3000/api/trpc/${path}`, {
    headers: { cookie: `trailmark.session=${await bearer(user)}`, ...headers },
  });
  const router = appRouter;
  const handled = { endpoint: "/api/trpc", req: request, router, createContext: () => createContext(request) };
  const answer = await fetchRequestHandler(handled);
  await answer.text();
  return answer.status;
}

describe("denied requests of signed-in callers", () => {
  it("are recorded in the caller's log with the purpose of the permission", async () => {
    const viewer = await createUser({ role: "org_viewer" });
    expect((await call({ token: viewer, ip: "198.51.100.9" }, "GET /users?search=secret")).status).toBe(403);
    const [entry, ...others] = await deniedOf(viewer.orgId);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      actorType: "user",
      actorId: viewer.id,
      actorEmail: viewer.email,
      resourceType: "permission",
      details: { permission: "users:manage", times: 1, requests: ["GET /api/v1/users"] },
      ipAddress: "198.51.100.9",
      result: "denied",
      errorMessage: "This needs the permission users:manage.",
    });
    expect(actionSentence({ actor: "Vera", action: "user.permission.denied", result: "denied", ...pick(entry) })).toBe(
      "Vera was denied permission to manage users",
    );
  });

  it("are not recorded when another site triggered the request", async () => {
    const viewer = await createUser({ role: "org_viewer" });
    const headers = { cookie: `trailmark.session=${await bearer(viewer)}`, "sec-fetch-site": "cross-site" };
    expect((await call({ headers }, "GET /users")).status).toBe(403);
    expect(await ask("users.list", viewer, headers)).toBe(403);
    closeFolds();
    expect(await deniedOf(viewer.orgId)).toEqual([]);
  });

  it("are recorded once for all repeats within a minute, over REST and tRPC", async () => {
    const viewer = await createUser({ role: "org_viewer" });
    for (let i = 0; i < 20; i++) expect((await call(viewer, "GET /users")).status).toBe(403);
    expect(await ask("users.list", viewer)).toBe(403);
    expect(await deniedOf(viewer.orgId)).toHaveLength(1);
    closeFolds();
    const [, repeats, ...others] = await deniedOf(viewer.orgId);
    expect(others).toEqual([]);
    expect(repeats?.details).toEqual({
      permission: "users:manage",
      times: 20,
      requests: ["GET /api/v1/users", "users.list"],
    });
    closeFolds();
    expect(await deniedOf(viewer.orgId)).toHaveLength(2);
  });

  it("are recorded once a minute while they continue, and immediately after a pause", async () => {
    const viewer = await createUser({ role: "org_viewer" });
    const ctx = await ctxFor(viewer);
    const refuse = () =>
      recordDenied(ctx, new AppError("forbidden", "No."), { request: "users.list", permission: "users:manage" });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      refuse(); // an entry
      for (let minute = 0; minute < 3; minute++) {
        refuse();
        refuse();
        vi.advanceTimersByTime(60_000); // an entry of two
      }
      vi.advanceTimersByTime(60_000);
      refuse(); // an entry
    } finally {
      vi.useRealTimers();
    }
    const times = (await deniedOf(viewer.orgId)).map(({ details }) => (details as { times: number }).times);
    expect(times).toEqual([1, 2, 2, 2, 1]);
  });

  it("are recorded in the caller's log, not in the foreign organization's", async () => {
    const { id: foreign } = await createOrg();
    const { orgId, ...key } = await createApiKey({ permissions: ["audit:read"] });
    expect((await call({ orgId, ...key }, `GET /audit-logs?orgId=${foreign}`)).status).toBe(403);
    expect(await deniedOf(orgId)).toMatchObject([
      { actorType: "api_key", resourceName: null, errorMessage: "You have no access to that organization." },
    ]);
    const viewer = await createUser({ role: "org_viewer" });
    await ask(`audit.tail?input=${encodeURIComponent(JSON.stringify({ orgId: foreign }))}`, viewer);
    expect(await deniedOf(viewer.orgId)).toMatchObject([{ details: { times: 1, requests: ["audit.tail"] } }]);
    expect(await deniedOf(foreign)).toEqual([]);
  });

  it("are recorded for restricted operations, for staff in the partner's home organization", async () => {
    const partner = await createPartner();
    const { id: chosen } = await createOrg({ partnerId: partner.id });
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [chosen] });
    const body = {
      email: "new@example.test",
      password: "correct horse battery staple",
      name: "N",
      role: "partner_admin",
    };
    expect((await call(admin, "POST /users", body)).status).toBe(403);
    expect(await deniedOf(partner.homeOrgId)).toMatchObject([
      { actorId: admin.id, errorMessage: "This concerns organizations that you have no access to." },
    ]);
  });

  it("raise a notification when they continue for long", async () => {
    const viewer = await createUser({ role: "org_viewer" });
    for (let minute = 0; minute * 2 < MANY_DENIALS; minute++) {
      await call(viewer, "GET /users");
      await call(viewer, "GET /users");
      closeFolds();
    }
    await deniedOf(viewer.orgId);
    const { found } = await DEFINITIONS["denials.many"].check(new Date());
    expect(found.find(({ orgId }) => orgId === viewer.orgId)).toMatchObject({ holds: true });
  });
});

describe("errors that are not denials", () => {
  it("are missing targets, unauthenticated callers and a missing second factor", async () => {
    const viewer = await createUser({ role: "org_viewer" });
    expect((await call(viewer, `GET /devices/${crypto.randomUUID()}`)).status).toBe(404);
    expect((await call(null, "GET /users")).status).toBe(401);
    await changeRows(organizations, { id: viewer.orgId ?? "" }, { requireTwoFactor: true });
    expect((await call(viewer, "GET /users")).status).toBe(403);
    closeFolds();
    expect(await deniedOf(viewer.orgId)).toEqual([]);
  });
});

const pick = (entry: Awaited<ReturnType<typeof deniedOf>>[number] | undefined) => ({
  resourceName: entry?.resourceName ?? null,
  resourceType: entry?.resourceType ?? "",
});
