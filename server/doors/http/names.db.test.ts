import { expect, it } from "vitest";
import { call, createEnrollmentKey, createUser, type TestUser } from "@/testing/factories";

const NAMES = ["Desk\r\nBcc: thief@example.test", "Desk\u2028=1+1", "De\tsk", "De\x1b[31msk", "De\x85sk"];

const NAMED: [string, (admin: TestUser) => object][] = [
  ["/webhooks", () => ({ url: "https://hooks.example.com/x", kinds: ["chain.broken"] })],
  ["/api-keys", () => ({ permissions: ["audit:read"] })],
  ["/users", ({ orgId }) => ({ orgId, role: "org_viewer", email: `${crypto.randomUUID()}@example.test` })],
  ["/custom-fields", ({ orgId }) => ({ orgId, fieldKey: "desk", type: "text" })],
];

it.for(NAMED)("rejects line breaks in a name sent to POST %s", async ([path, bodyOf]) => {
  const admin = await createUser({ role: "org_admin" });
  const create = (name: string) => call(admin, `POST ${path}`, { ...bodyOf(admin), name });
  for (const name of NAMES)
    expect((await create(name)).body, name).toMatchObject({ status: 400, errors: [{ path: "name" }] });
  expect((await create(" Desk\n")).status).toBe(201);
});

it("renaming an organization to a name with line breaks is rejected", async () => {
  const admin = await createUser({ role: "org_admin" });
  for (const name of NAMES) {
    const refused = await call(admin, `PATCH /orgs/organizations/${admin.orgId}`, { name });
    expect(refused.body, name).toMatchObject({ status: 400, errors: [{ path: "name" }] });
  }
});

it("an agent hostname with line breaks is rejected", async () => {
  const { key: enrollmentKey } = await createEnrollmentKey();
  for (const hostname of NAMES) {
    const refused = await call(null, "POST /agents/enroll", { enrollmentKey, hostname, os: "linux" });
    expect(refused.body, hostname).toMatchObject({ status: 400, errors: [{ path: "hostname" }] });
  }
});
