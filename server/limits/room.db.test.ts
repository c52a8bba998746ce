import { expect, it } from "vitest";
import { POST } from "@/app/api/v1/webhooks/route";
import { call, createOrg, createUser } from "@/testing/factories";

it("an organization has fifty webhooks and no more; another one's do not count", async () => {
  const org = await createOrg();
  const admin = await createUser({ role: "org_admin", orgId: org.id });
  const make = (token: typeof admin) =>
    call(POST, {
      token,
      method: "POST",
      body: { name: "Chat", url: "https://hooks.example.com/x", kinds: ["chain.broken"] },
    });
  for (let at = 0; at < 50; at++) expect((await make(admin)).status).toBe(201);
  const refused = await make(admin);
  expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
  expect((await make(await createUser({ role: "org_admin" }))).status).toBe(201);
});
