import { expect, it } from "vitest";
import { POST as createKey, GET as listKeys } from "@/app/api/v1/api-keys/route";
import { GET as checkpoints } from "@/app/api/v1/audit-logs/checkpoints/route";
import { POST as submit } from "@/app/api/v1/audit-logs/events/route";
import { GET as evidence } from "@/app/api/v1/audit-logs/evidence/route";
import { GET as exportCsv, POST as exportRows } from "@/app/api/v1/audit-logs/export/route";
import { POST as createExport } from "@/app/api/v1/audit-logs/exports/route";
import { GET as integrity } from "@/app/api/v1/audit-logs/integrity/route";
import { GET as list } from "@/app/api/v1/audit-logs/logs/route";
import { GET as compliance } from "@/app/api/v1/audit-logs/reports/compliance/route";
import { GET as search } from "@/app/api/v1/audit-logs/search/route";
import { GET as stats } from "@/app/api/v1/audit-logs/stats/route";
import { POST as createField, GET as listFields } from "@/app/api/v1/custom-fields/route";
import { GET as listDevices } from "@/app/api/v1/devices/route";
import { POST as createEnrollmentKey } from "@/app/api/v1/enrollment-keys/route";
import { GET as retention } from "@/app/api/v1/orgs/organizations/[id]/audit-retention/route";
import { POST as createPerson, GET as listPeople } from "@/app/api/v1/users/route";
import { POST as createHook } from "@/app/api/v1/webhooks/route";
import { call, createApiKey, createOrg, createUser } from "@/testing/factories";

it("accepts organization IDs in capital letters (RFC 9562)", async () => {
  const org = await createOrg();
  const token = await createUser({ role: "partner_admin", partnerId: org.partnerId });
  const key = await createApiKey({ orgId: org.id, permissions: ["audit:write"] });
  const orgId = org.id.toUpperCase();
  const event = { orgId, actorType: "system", actorId: "x", action: "device.update", resourceType: "device" };
  const body = { events: [{ ...event, result: "success" }] };
  expect((await call(submit, { token: key.key, body })).body).toEqual({ accepted: 1, rejected: [] });

  const readers = { list, stats, compliance, integrity, checkpoints, evidence, exportCsv };
  const lists = { listKeys, listFields, listDevices, listPeople };
  for (const [name, route] of Object.entries({ ...readers, ...lists }))
    expect((await call(route, { token, path: `/?orgId=${orgId}` })).status, name).toBe(200);
  expect((await call(search, { token, path: `/?q=device&orgId=${orgId}` })).status).toBe(200);
  expect((await call(integrity, { token, path: `/?orgId=${orgId}` })).body).toMatchObject({ orgId: org.id });
  const [header = ""] = (await call(evidence, { token, path: `/?orgId=${orgId}` })).text.split("\n");
  expect(JSON.parse(header)).toMatchObject({ orgId: org.id, origin: expect.stringContaining(org.id) });
  expect((await call(retention, { token, params: { id: orgId } })).body).toMatchObject({ orgId: org.id });

  for (const route of [exportRows, createExport]) {
    const answer = await call(route, { token, body: { filters: { orgId } } });
    expect(answer.status).toBe(route === exportRows ? 200 : 202);
  }
  const email = `${crypto.randomUUID()}@example.test`;
  const created = [
    await call(createKey, { token, body: { name: "k", orgId, permissions: ["audit:read"] } }),
    await call(createEnrollmentKey, { token, body: { orgId } }),
    await call(createPerson, { token, body: { name: "P", role: "org_viewer", email, orgId } }),
    await call(createField, { token, body: { name: "F", fieldKey: "f", type: "text", orgId } }),
    await call(createHook, {
      token,
      body: { name: "W", url: "https://hooks.example.com/x", kinds: ["chain.broken"], orgId },
    }),
  ];
  for (const { status, body } of created) {
    expect(status).toBe(201);
    expect(body.orgId).toBe(org.id);
  }
});
