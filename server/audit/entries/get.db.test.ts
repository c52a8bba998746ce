import { expect, it } from "vitest";
import { listInput } from "@/server/audit/schema";
import { appendEvents } from "@/testing/audit-entries";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { getNeighbours } from "./get";
import { listFullEntries } from "./list";

it("returns newer and older neighbors in list order, null at both ends", async () => {
  const [{ id: orgId }, other] = [await createOrg(), await createOrg()];
  const ctx = await ctxFor(await createUser({ orgId, role: "org_viewer" }));
  const at = (second: number) => new Date(Date.UTC(2026, 9, 1, 12, 0, second));
  await appendEvents([3, 1, 1, 2, 1].map((second) => ({ orgId, timestamp: at(second) })));
  await appendEvents([{ orgId: other.id, timestamp: at(2) }]);
  const ids = (await listFullEntries.run(ctx, listInput.parse({}))).data.map(({ id }) => id);
  const walked = await Promise.all(ids.map((id) => getNeighbours.run(ctx, { id })));
  expect(walked).toEqual(ids.map((_, i) => ({ newer: ids[i - 1] ?? null, older: ids[i + 1] ?? null })));
  const stranger = await ctxFor("org_viewer");
  await expect(getNeighbours.run(stranger, { id: ids[0] as string })).rejects.toMatchObject({ code: "not_found" });
});
