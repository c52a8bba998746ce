import { expect, test } from "vitest";
import { BODY_ONLY } from "@/server/audit/query/rows";
import { appendEvents } from "@/testing/audit-entries";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { advanceIndex } from "@/testing/search/advance-index";
import { everyRow, MAX_ROWS, takeSnapshot } from "./every-row";

test("includes an action that is first indexed while rows are being read", async () => {
  const { id: orgId } = await createOrg();
  const ctx = await ctxFor(await createUser({ orgId }));
  const eventsOf = (action: string, count: number, hour: number) =>
    Array.from({ length: count }, (_, n) => ({ orgId, action, timestamp: new Date(Date.UTC(2026, 5, 1, hour, 0, n)) }));
  await appendEvents(eventsOf("device.create", MAX_ROWS + 100, 2));
  await advanceIndex(orgId);
  await appendEvents(eventsOf("device.wipe", 100, 1));
  const filter = { action: "device" };
  const { heads, total } = await takeSnapshot(ctx, filter);
  let rows = 0;
  for await (const part of everyRow(ctx, { filter, heads }, BODY_ONLY)) {
    rows += part.length;
    await advanceIndex(orgId);
  }
  expect([rows, total]).toEqual([MAX_ROWS + 200, MAX_ROWS + 200]);
});
