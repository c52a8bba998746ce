import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { notifications as notificationTable } from "@/db/schema";
import { queueMail } from "@/server/notify/deliveries/queue";
import { appendEvents } from "@/testing/audit-entries";
import {
  call,
  createApiKey,
  createDevice,
  createEnrollmentKey,
  createOrg,
  createPartner,
  createUser,
  type TestApiKey,
  type TestDevice,
  type TestOrg,
  type TestUser,
} from "@/testing/factories";

type Tenant = { org: TestOrg; chief: TestUser; key: TestApiKey; device: TestDevice; fieldKey: string };

/** An organization of a new partner with one of everything, and entries by the partner's person and key. */
async function arrange(operator: TestUser): Promise<Tenant> {
  const partner = await createPartner();
  const org = await createOrg({ partnerId: partner.id });
  const chief = await createUser({ role: "partner_admin", partnerId: partner.id, department: "Operations" });
  const key = await createApiKey({ partnerId: partner.id });
  const device = await createDevice({ orgId: org.id });
  const fieldKey = `f_${randomUUID().slice(0, 8)}`;
  await appendEvents([
    { orgId: org.id, actorType: "user", actorId: chief.id, actorEmail: chief.email },
    { orgId: org.id, actorType: "api_key", actorId: key.id },
  ]);
  await createUser({ orgId: org.id });
  await createApiKey({ orgId: org.id });
  await createEnrollmentKey({ orgId: org.id });
  const hook = { name: "Chat", url: "https://hooks.example.com/x", kinds: ["chain.broken"], orgId: org.id };
  expect((await call(operator, "POST /webhooks", hook)).status).toBe(201);
  const field = { name: "Site", fieldKey, type: "text" };
  expect((await call(chief, "POST /custom-fields", field)).status).toBe(201);
  const own = { ...field, fieldKey: `${fieldKey}_own`, orgId: org.id };
  expect((await call(chief, "POST /custom-fields", own)).status).toBe(201);
  const body = { [fieldKey]: "Berlin" };
  expect((await call(chief, `PATCH /devices/${device.id}/custom-fields`, body)).status).toBe(200);
  await asSystem(async (tx) => {
    const mail = { type: "report", subject: org.name, at: new Date(), mail: { text: "" } };
    await queueMail(tx, { id: operator.id, partnerId: partner.id, orgId: org.id }, mail);
    const now = new Date();
    const raised = { since: now, observedAt: now, raisedAt: now, raisedIn: 1 };
    await tx.insert(notificationTable).values({ id: randomUUID(), orgId: org.id, kind: "chain.broken", ...raised });
  });
  return { org, chief, key, device, fieldKey };
}

describe("a platform operator viewing selected organizations", () => {
  let operator: TestUser;
  let first: Tenant;
  let second: Tenant;
  beforeAll(async () => {
    operator = await createUser({ role: "system_admin" });
    first = await arrange(operator);
    second = await arrange(operator);
  });
  const list = async (path: string, ...orgs: Tenant[]) => {
    const query = new URLSearchParams(orgs.map(({ org }) => ["orgId", org.id]));
    const { status, body } = await call(operator, `GET ${path}?${query}`);
    expect(status).toBe(200);
    return body.data ?? body.entries;
  };

  it("sees names, roles and departments of their partners' users and keys", async () => {
    const named = ({ chief, key }: Tenant) => [
      { name: key.name, email: "", role: "api_key", department: "" },
      { name: chief.name, email: chief.email, role: "partner_admin", department: "Operations" },
    ];
    const usersIn = async (...orgs: Tenant[]) =>
      (await list("/audit-logs", ...orgs))
        .filter(({ action }: { action: string }) => action === "device.create")
        .map(({ user }: { user: object }) => user);
    expect(await usersIn(first)).toEqual(named(first));
    expect(await usersIn(first, second)).toEqual([...named(second), ...named(first)]);
    const found = await call(operator, `GET /audit-logs/logs?orgId=${first.org.id}&user=${first.key.name}`);
    expect(found.body.data).toMatchObject([{ user: { name: first.key.name } }]);
  });

  it("sees shared fields of their partner and the devices with values", async () => {
    const keys = async (...orgs: Tenant[]) =>
      (await list("/custom-fields", ...orgs)).map(({ fieldKey }: { fieldKey: string }) => fieldKey).sort();
    expect(await keys(first)).toEqual([first.fieldKey, `${first.fieldKey}_own`]);
    const holding = async ({ org, fieldKey }: Tenant) =>
      (await call(operator, `GET /devices?orgId=${org.id}&fieldKey=${fieldKey}&fieldValue=Berlin`)).body.data.map(
        ({ id }: TestDevice) => id,
      );
    expect(await holding(first)).toEqual([first.device.id]);
    expect(await holding({ ...first, fieldKey: second.fieldKey })).toEqual([]);
  });

  it.for<[string, string, (row: { id: string; orgId: string }) => string | null, number?]>([
    ["users", "/users", ({ orgId }) => orgId],
    ["API keys", "/api-keys", ({ orgId }) => orgId],
    ["enrolment keys", "/enrollment-keys", ({ orgId }) => orgId],
    ["webhooks", "/webhooks", ({ orgId }) => orgId],
    ["devices", "/devices", ({ orgId }) => orgId],
    ["deliveries", "/deliveries", ({ orgId }) => orgId],
    ["notifications", "/notifications", ({ orgId }) => orgId],
    ["organizations", "/orgs/organizations", ({ id }) => id],
    ["the overview", "/orgs/overview", ({ orgId }) => orgId],
  ])("sees nothing of other organizations in the list of %s", async ([_, path, ownerOf]) => {
    for (const tenant of [first, second]) expect((await list(path, tenant)).map(ownerOf)).toEqual([tenant.org.id]);
  });
});
