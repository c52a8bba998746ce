import { expect, it } from "vitest";
import { apiOperations } from "@/testing/api/document";
import { createWorld, fieldIn, itself, keyIn, ruleIn, streamIn, userIn, webhookIn } from "@/testing/api/matrix";
import { isDocumented } from "@/testing/api/references";
import { type Answer, bearer, call, createUser } from "@/testing/factories";

type Case = {
  path: string;
  method: "PATCH" | "PUT";
  body: object;
  create?: (orgId: string) => Promise<{ id: string }>;
};

const world = createWorld();

const CASES: Case[] = [
  { path: "/orgs/organizations/[id]", method: "PATCH", body: { name: "Contoso Ltd" }, create: itself },
  { path: "/orgs/organizations/[id]/audit-retention", method: "PUT", body: { retentionDays: 400 }, create: itself },
  {
    path: "/orgs/organizations/[id]/device-log-retention",
    method: "PUT",
    body: { diagnosticDays: 10, eventDays: 20 },
    create: itself,
  },
  { path: "/orgs/partner", method: "PATCH", body: { requireTwoFactor: false } },
  { path: "/custom-fields/[id]", method: "PATCH", body: { name: "Rack" }, create: fieldIn },
  { path: "/detections/rules/[id]", method: "PATCH", body: { dedupeSeconds: 60 }, create: ruleIn },
  { path: "/streams/[id]", method: "PATCH", body: { name: "SIEM 2" }, create: streamIn },
  { path: "/webhooks/[id]", method: "PATCH", body: { name: "Chat" }, create: webhookIn },
  { path: "/api-keys/[id]", method: "PATCH", body: { name: "Reader" }, create: keyIn },
  { path: "/users/[id]", method: "PATCH", body: { department: "Support" }, create: userIn },
  { path: "/me/notification-settings", method: "PUT", body: { productKinds: ["chain.broken"] } },
];

const admin = world.then(({ partnerId }) => createUser({ partnerId, role: "partner_admin" })).then(bearer);
/** The administrator, who changes only this version. */
const only = async (etag: string) => ({ token: await admin, headers: { "if-match": etag } });
const etagOf = ({ headers }: Answer) => String(headers.get("etag"));

it.for(CASES)(
  "$path has an ETag, and its $method accepts If-Match",
  async ({ path: pattern, method, body, create }) => {
    const path = pattern.replace("[id]", (await create?.((await world).a))?.id ?? "");
    const get = async () => call(await admin, `GET ${path}`);
    const first = await get();
    const etag = etagOf(first);
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    expect(etagOf(await get())).toBe(etag);
    const write = async (ifMatch: string) => call(await only(ifMatch), `${method} ${path}`, body);
    const refused = await write('"another"');
    expect([refused.status, refused.body.code]).toEqual([412, "precondition_failed"]);
    expect((await get()).text).toBe(first.text);
    const changed = await write(`"another", ${etag}`);
    expect(changed.status).toBe(200);
    expect(etagOf(await get())).toBe(etagOf(changed));
    if (!path.endsWith("partner")) expect((await write(etag)).status).toBe(412);
    expect((await write("*")).status).toBe(200);
  },
);

it("concurrent changes with the same ETag: one is stored, the others get 412", async () => {
  const path = `/orgs/organizations/${(await world).a}/audit-retention`;
  const caller = await only(etagOf(await call(await admin, `GET ${path}`)));
  const set = (retentionDays: number) => call(caller, `PUT ${path}`, { retentionDays });
  const statuses = (await Promise.all([100, 200, 300].map(set))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 412, 412]);
});

it("accepts a weak ETag from a compressing proxy", async () => {
  const path = "/me/notification-settings";
  const caller = await only(`W/${etagOf(await call(await admin, `GET ${path}`))}`);
  expect((await call(caller, `PUT ${path}`, { productKinds: ["chain.broken"] })).status).toBe(200);
});

it("deletion accepts If-Match", async () => {
  const path = `/custom-fields/${(await fieldIn((await world).a)).id}`;
  const etag = etagOf(await call(await admin, `PATCH ${path}`, { name: "Site" }));
  expect((await call(await only('"another"'), `DELETE ${path}`)).status).toBe(412);
  expect((await call(await only(etag), `DELETE ${path}`)).status).toBe(204);
});

it("If-Match on something without an ETag is rejected", async () => {
  const { id } = await keyIn((await world).a);
  expect((await call(await only('"x"'), `POST /api-keys/${id}/rotate`, { overlapSeconds: 0 })).status).toBe(412);
});

it("the API document lists If-Match and 412 for each such write", () => {
  const taking = apiOperations.filter(({ operation }) => operation.parameters.some(({ name }) => name === "If-Match"));
  expect(taking).toHaveLength(16);
  expect(taking.every(({ operation: { responses } }) => isDocumented(responses, 412))).toBe(true);
});
