import { expect, it } from "vitest";
import { call, createApiKey, createDevice, createUser } from "@/testing/factories";
import { GET } from "./route";

it("the script library is available to authenticated callers only", async () => {
  const path = "/scripts/system-library?os=linux&category=disk&search=space";
  for (const token of [await createUser({ role: "org_viewer" }), await createApiKey({ permissions: [] })]) {
    const { status, body } = await call(GET, { path, token });
    expect(status).toBe(200);
    expect(body.data.map((script: { name: string }) => script.name)).toEqual([
      "Check disk health and space",
      "Clean up disk space",
    ]);
  }
  expect((await call(GET, { path })).status).toBe(401);
  expect((await call(GET, { path, token: await createDevice() })).status).toBe(401);
  const bad = await call(GET, { path: "/scripts/system-library?os=amiga", token: await createUser() });
  expect([bad.status, bad.body.code]).toEqual([400, "validation_failed"]);
});
