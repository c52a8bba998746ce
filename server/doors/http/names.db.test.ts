import { expect, it } from "vitest";
import { POST as enroll } from "@/app/api/v1/agents/enroll/route";
import { POST as createKey } from "@/app/api/v1/api-keys/route";
import { POST as createField } from "@/app/api/v1/custom-fields/route";
import { POST as createEnrollmentKey } from "@/app/api/v1/enrollment-keys/route";
import { PATCH as updateOrg } from "@/app/api/v1/orgs/organizations/[id]/route";
import { POST as createPerson } from "@/app/api/v1/users/route";
import { POST as createHook } from "@/app/api/v1/webhooks/route";
import { call, createOrg, createUser, type TestUser } from "@/testing/factories";
import type { RouteHandler } from "./route";

const NAMES = ["Desk\r\nBcc: thief@example.test", "Desk\u2028=1+1", "De\tsk", "De\x1b[31msk", "De\x85sk"];

type Named = { what: string; route: RouteHandler; field: string; body: (admin: TestUser, name: string) => object };
const NAMED: Named[] = [
  {
    what: "a webhook",
    route: createHook,
    field: "name",
    body: (_, name) => ({ name, url: "https://hooks.example.com/x", kinds: ["chain.broken"] }),
  },
  { what: "an API key", route: createKey, field: "name", body: (_, name) => ({ name, permissions: ["audit:read"] }) },
  {
    what: "a person",
    route: createPerson,
    field: "name",
    body: ({ orgId }, name) => ({ name, orgId, role: "org_viewer", email: `${crypto.randomUUID()}@example.test` }),
  },
  {
    what: "a field",
    route: createField,
    field: "name",
    body: ({ orgId }, name) => ({ name, orgId, fieldKey: "desk", type: "text" }),
  },
];

it.each(NAMED)("rejects line breaks in the name of $what", async ({ route, field, body }) => {
  const admin = await createUser({ role: "org_admin" });
  for (const name of NAMES) {
    const refused = await call(route, { token: admin, method: "POST", body: body(admin, name) });
    expect(refused.body, name).toMatchObject({ status: 400, errors: [{ path: field }] });
  }
  expect((await call(route, { token: admin, method: "POST", body: body(admin, " Desk\n") })).status).toBe(201);
});

it("renaming an organization to a name with line breaks is rejected", async () => {
  const org = await createOrg();
  const token = await createUser({ role: "org_admin", orgId: org.id });
  for (const name of NAMES) {
    const refused = await call(updateOrg, { token, method: "PATCH", params: { id: org.id }, body: { name } });
    expect(refused.body, name).toMatchObject({ status: 400, errors: [{ path: "name" }] });
  }
});

it("an agent hostname with line breaks is rejected", async () => {
  const token = await createUser({ role: "org_admin" });
  const { key } = (await call(createEnrollmentKey, { token, method: "POST", body: { orgId: token.orgId } })).body;
  for (const hostname of NAMES) {
    const refused = await call(enroll, { method: "POST", body: { enrollmentKey: key, hostname, os: "linux" } });
    expect(refused.body, hostname).toMatchObject({ status: 400, errors: [{ path: "hostname" }] });
  }
});
