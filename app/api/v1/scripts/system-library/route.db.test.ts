import { expect, it } from "vitest";
import { call, createApiKey, createDevice, createUser } from "@/testing/factories";

it("the script library is available to authenticated callers only", async () => {
  const line = "GET /scripts/system-library?os=linux&category=disk&search=space";
  for (const token of [await createUser({ role: "org_viewer" }), await createApiKey({ permissions: [] })]) {
    const { status, body } = await call(token, line);
    expect(status).toBe(200);
    expect(body.data.map((script: { name: string }) => script.name)).toEqual([
      "Check disk health and space",
      "Clean up disk space",
    ]);
  }
  expect((await call(await createDevice(), line)).status).toBe(401);
});
