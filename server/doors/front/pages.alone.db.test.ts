import { expect, it } from "vitest";
import { closeFolds } from "@/server/audit/record/fold";
import { PEER_HEADER } from "@/server/ground/client-ip";
import { auditRows, bearer, createUser } from "@/testing/factories";
import { pages } from "./pages";

it("records a page's denied request with the address of the page's reader", async () => {
  const viewer = await createUser({ role: "org_viewer" });
  const headers = new Headers({
    authorization: `Bearer ${await bearer(viewer)}`,
    [PEER_HEADER]: "203.0.113.80",
    "user-agent": "vitest",
  });
  const context = await pages.context(headers);
  await expect(pages.router.createCaller(context).users.list({ page: 1, limit: 50 })).rejects.toThrow();
  closeFolds();
  expect(await auditRows(viewer.orgId as string)).toMatchObject([
    { action: "user.permission.denied", actorId: viewer.id, ipAddress: "203.0.113.80", userAgent: "vitest" },
  ]);
});
