import { expect, it } from "vitest";
import { inTenant } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { writtenUpTo } from "./pacing";

it("the log goes farther as soon as anyone writes, before it is committed", async () => {
  const { id: orgId } = await createOrg();
  await inTenant("system", async (tx) => {
    const before = await writtenUpTo();
    await tx`UPDATE audit_retention_policies SET retention_days = 30 WHERE org_id = ${orgId}`;
    const after = await writtenUpTo();
    expect(after).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/);
    expect(after).not.toBe(before);
  });
});
