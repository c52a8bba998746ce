import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { expect, it } from "vitest";
import { users } from "@/db/schema";
import { auditRows, bearer, changeRows, createOrg, createUser } from "@/testing/factories";
import { createContext } from "./handler";
import { appRouter } from "./root";

const send = async (
  path: string,
  { cookie, input, headers = {} }: { cookie?: string; input?: unknown; headers?: Record<string, string> },
) => {
  const request = new Request(`http://127.0.0.1:3000/api/trpc/${path}`, {
    method: input === undefined ? "GET" : "POST",
    headers: {
      "content-type": "application/json",
      "x-trailmark-peer": "198.51.100.8",
      ...(cookie ? { cookie: `trailmark.session=${cookie}` } : {}),
      ...headers,
    },
    body: input === undefined ? null : JSON.stringify(input),
  });
  const response = await fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext: () => createContext(request),
  });
  return { status: response.status, body: await response.json() };
};
const origin = { origin: "http://127.0.0.1:3000" };

it("identifies the user by cookie and records the source address", async () => {
  const user = await createUser({ role: "org_admin" });
  const cookie = await bearer(user);
  expect((await send("me.get", { cookie })).body.result.data).toMatchObject({
    user: { id: user.id },
    scope: "organization",
  });
  expect(
    (await send("organizations.update", { cookie, input: { id: user.orgId, name: "Renamed" }, headers: origin }))
      .status,
  ).toBe(200);
  expect(await auditRows(user.orgId as string)).toMatchObject([
    { action: "organization.update", ipAddress: "198.51.100.8" },
  ]);
});

it("rechecks the caller of a long-lived response", async () => {
  const user = await createUser({ role: "org_admin" });
  const cookie = `trailmark.session=${await bearer(user)}`;
  const context = await createContext(
    new Request("http://127.0.0.1:3000/api/trpc/audit.tail", { headers: { cookie } }),
  );
  expect((await context.caller?.recheck?.())?.actor).toMatchObject({ id: user.id });
  await changeRows(users, { id: user.id }, { disabledAt: new Date() });
  await expect(context.caller?.recheck?.()).rejects.toMatchObject({ code: "unauthenticated" });
});

it("rejects a mutation sent by another site", async () => {
  const user = await createUser({ role: "org_admin" });
  const cookie = await bearer(user);
  const input = { id: user.orgId, name: "Hacked" };
  for (const headers of [{ origin: "https://evil.test" }, { "sec-fetch-site": "cross-site" }, {}]) {
    const { status, body } = await send("organizations.update", {
      cookie,
      input,
      headers: headers as Record<string, string>,
    });
    expect(status).toBe(403);
    expect(body.error.data.problem.code).toBe("forbidden");
  }
  expect(await auditRows(user.orgId as string)).toEqual([]);
});

it("returns 401 without a session, 403 without access and 404 for foreign IDs", async () => {
  expect((await send("me.get", {})).status).toBe(401);
  expect((await send("me.get", { cookie: "x.y.z" })).status).toBe(401);
  const viewer = await bearer(await createUser({ role: "org_viewer" }));
  const query = (input: object) => `?input=${encodeURIComponent(JSON.stringify(input))}`;
  expect((await send(`users.list${query({})}`, { cookie: viewer })).status).toBe(403);
  const foreign = await createOrg();
  expect((await send(`organizations.overview${query({ orgId: foreign.id })}`, { cookie: viewer })).status).toBe(403);
  expect((await send(`organizations.get${query({ id: foreign.id })}`, { cookie: viewer })).status).toBe(404);
  expect((await send(`organizations.get${query({ id: "x" })}`, { cookie: viewer })).status).toBe(400);
});
