import { expect, it } from "vitest";
import { POST as rotateKey } from "@/app/api/v1/api-keys/[id]/rotate/route";
import { PATCH as patchField, DELETE as removeField } from "@/app/api/v1/custom-fields/[id]/route";
import { GET as getNotices, PUT as putNotices } from "@/app/api/v1/me/notification-settings/route";
import { GET as getRetention, PUT as putRetention } from "@/app/api/v1/orgs/organizations/[id]/audit-retention/route";
import { apiOperations } from "@/testing/api/document";
import { createWorld, fieldIn, keyIn, ruleIn, streamIn, userIn, webhookIn } from "@/testing/api/matrix";
import { isDocumented } from "@/testing/api/references";
import { bearer, call, createUser } from "@/testing/factories";
import type { RouteHandler } from "./route";
import { routes } from "./routes.generated";

type Case = { path: string; method: "PATCH" | "PUT"; body: object; id: () => Promise<string> };

const world = createWorld();
const inA =
  (make: (world: Awaited<ReturnType<typeof createWorld>>, org: string) => Promise<{ id: string }>) => async () =>
    (await make(await world, (await world).a)).id;
const org = async () => (await world).a;

const CASES: Case[] = [
  { path: "/orgs/organizations/[id]", method: "PATCH", body: { name: "Contoso Ltd" }, id: org },
  { path: "/orgs/organizations/[id]/audit-retention", method: "PUT", body: { retentionDays: 400 }, id: org },
  {
    path: "/orgs/organizations/[id]/device-log-retention",
    method: "PUT",
    body: { diagnosticDays: 10, eventDays: 20 },
    id: org,
  },
  { path: "/orgs/partner", method: "PATCH", body: { requireTwoFactor: false }, id: async () => "" },
  { path: "/custom-fields/[id]", method: "PATCH", body: { name: "Rack" }, id: inA(fieldIn) },
  { path: "/detections/rules/[id]", method: "PATCH", body: { dedupeSeconds: 60 }, id: inA(ruleIn) },
  { path: "/streams/[id]", method: "PATCH", body: { name: "SIEM 2" }, id: inA(streamIn) },
  { path: "/webhooks/[id]", method: "PATCH", body: { name: "Chat" }, id: inA(webhookIn) },
  { path: "/api-keys/[id]", method: "PATCH", body: { name: "Reader" }, id: inA((_, orgId) => keyIn(orgId)) },
  { path: "/users/[id]", method: "PATCH", body: { department: "Support" }, id: inA((_, orgId) => userIn(orgId)) },
  { path: "/me/notification-settings", method: "PUT", body: { productKinds: ["chain.broken"] }, id: async () => "" },
];

const handlersAt = (path: string) =>
  routes.find((file) => file.path === `/api/v1${path}`)?.module as Record<string, RouteHandler>;
const admin = world.then(({ partnerId }) => createUser({ partnerId, role: "partner_admin" })).then(bearer);

it.for(CASES)("$path has an ETag, and its $method accepts If-Match", async ({ path, method, body, id: make }) => {
  const { GET, [method]: write } = handlersAt(path);
  const token = await admin;
  const id = await make();
  const about = { token, ...(id && { params: { id } }) };
  if (!GET || !write) throw new Error("no such route");
  const first = await call(GET, about);
  const etag = String(first.headers.get("etag"));
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  expect((await call(GET, about)).headers.get("etag")).toBe(etag);
  const send = (ifMatch: string) => call(write, { ...about, method, body, headers: { "if-match": ifMatch } });
  const refused = await send('"another"');
  expect([refused.status, refused.body.code]).toEqual([412, "precondition_failed"]);
  expect((await call(GET, about)).text).toBe(first.text);
  const changed = await send(`"another", ${etag}`);
  expect(changed.status).toBe(200);
  expect((await call(GET, about)).headers.get("etag")).toBe(changed.headers.get("etag"));
  if (!path.endsWith("partner")) expect((await send(etag)).status).toBe(412);
  expect((await send("*")).status).toBe(200);
});

it("concurrent changes with the same ETag: one is stored, the others get 412", async () => {
  const params = { id: await org() };
  const token = await admin;
  const etag = String((await call(getRetention, { token, params })).headers.get("etag"));
  const set = (retentionDays: number) =>
    call(putRetention, { token, params, method: "PUT", body: { retentionDays }, headers: { "if-match": etag } });
  const statuses = (await Promise.all([100, 200, 300].map(set))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 412, 412]);
});

it("accepts a weak ETag from a compressing proxy", async () => {
  const token = await admin;
  const etag = (await call(getNotices, { token })).headers.get("etag");
  const request = {
    token,
    method: "PUT",
    body: { productKinds: ["chain.broken"] },
    headers: { "if-match": `W/${etag}` },
  };
  expect((await call(putNotices, request)).status).toBe(200);
});

it("deletion accepts If-Match", async () => {
  const token = await admin;
  const params = { id: await inA(fieldIn)() };
  const { headers } = await call(patchField, { token, params, method: "PATCH", body: { name: "Site" } });
  const remove = (ifMatch: string) =>
    call(removeField, { token, params, method: "DELETE", headers: { "if-match": ifMatch } });
  expect((await remove('"another"')).status).toBe(412);
  expect((await remove(String(headers.get("etag")))).status).toBe(204);
});

it("If-Match on something without an ETag is rejected", async () => {
  const { a } = await world;
  const request = { token: await admin, method: "POST", body: { overlapSeconds: 0 }, headers: { "if-match": '"x"' } };
  expect((await call(rotateKey, { ...request, params: { id: (await keyIn(a)).id } })).status).toBe(412);
});

it("the API document lists If-Match and 412 for each such write", () => {
  const taking = apiOperations.filter(({ operation }) => operation.parameters.some(({ name }) => name === "If-Match"));
  expect(taking).toHaveLength(16);
  expect(taking.every(({ operation: { responses } }) => isDocumented(responses, 412))).toBe(true);
});
