import { expect, it } from "vitest";
import { call, createApiKey, createOrg, createUser } from "@/testing/factories";

it("accepts organization IDs in capital letters (RFC 9562)", async () => {
  const org = await createOrg();
  const token = await createUser({ role: "partner_admin", partnerId: org.partnerId });
  const key = await createApiKey({ orgId: org.id, permissions: ["audit:write"] });
  const orgId = org.id.toUpperCase();
  const event = { orgId, actorType: "system", actorId: "x", action: "device.update", resourceType: "device" };
  const body = { events: [{ ...event, result: "success" }] };
  expect((await call(key.key, "POST /audit-logs/events", body)).body).toEqual({ accepted: 1, rejected: [] });

  const logs = ["logs", "stats", "reports/compliance", "integrity", "checkpoints", "evidence", "export"];
  for (const path of [...logs.map((of) => `audit-logs/${of}`), "api-keys", "custom-fields", "devices", "users"])
    expect((await call(token, `GET /${path}?orgId=${orgId}`)).status, path).toBe(200);
  expect((await call(token, `GET /audit-logs/search?q=device&orgId=${orgId}`)).status).toBe(200);
  expect((await call(token, `GET /audit-logs/integrity?orgId=${orgId}`)).body).toMatchObject({ orgId: org.id });
  const [header = ""] = (await call(token, `GET /audit-logs/evidence?orgId=${orgId}`)).text.split("\n");
  expect(JSON.parse(header)).toMatchObject({ orgId: org.id, origin: expect.stringContaining(org.id) });
  expect((await call(token, `GET /orgs/organizations/${orgId}/audit-retention`)).body).toMatchObject({
    orgId: org.id,
  });

  expect((await call(token, "POST /audit-logs/export", { filters: { orgId } })).status).toBe(200);
  expect((await call(token, "POST /audit-logs/exports", { filters: { orgId } })).status).toBe(202);
  const email = `${crypto.randomUUID()}@example.test`;
  const created = [
    await call(token, "POST /api-keys", { name: "k", orgId, permissions: ["audit:read"] }),
    await call(token, "POST /enrollment-keys", { orgId }),
    await call(token, "POST /users", { name: "P", role: "org_viewer", email, orgId }),
    await call(token, "POST /custom-fields", { name: "F", fieldKey: "f", type: "text", orgId }),
    await call(token, "POST /webhooks", {
      name: "W",
      url: "https://hooks.example.com/x",
      kinds: ["chain.broken"],
      orgId,
    }),
  ];
  for (const { status, body } of created) {
    expect(status).toBe(201);
    expect(body.orgId).toBe(org.id);
  }
});
