import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { appendEvents, type TestEvent } from "@/testing/audit-entries";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { getPreviousChange } from "./get";
import { listForPrint } from "./list";

const at = (second: number) => new Date(Date.UTC(2026, 9, 1, 12, 0, second));

test("the previous change is the last successful change to the same resource", async () => {
  const org = await createOrg();
  const jane = await createUser({ orgId: org.id, role: "org_viewer" });
  const policy = randomUUID();
  const of = (second: number, event: Partial<TestEvent>): TestEvent => ({
    orgId: org.id,
    timestamp: at(second),
    action: "policy.update",
    resourceType: "policy",
    resourceId: policy,
    ...event,
  });
  const rows = await appendEvents([
    of(0, { details: { after: { enabled: true } } }),
    of(1, { action: "policy.view" }),
    of(2, { result: "denied", details: { after: { enabled: false } } }),
    of(3, { resourceId: randomUUID() }),
    of(4, { details: { before: { enabled: true }, after: { enabled: false } } }),
    of(5, { resourceId: null, resourceName: "Antivirus" }),
    of(6, { resourceId: null, resourceName: "Antivirus, second" }),
    of(7, { resourceId: null, resourceName: "Antivirus" }),
    of(8, { resourceId: "HKLM\\Policy 7", resourceName: "Seven" }),
    of(9, { resourceId: "HKLM\\Policy 70", resourceName: "Seven" }),
    of(10, { resourceId: "HKLM\\Policy 7", resourceName: "Renamed" }),
  ]);
  const ctx = await ctxFor(jane);
  const previousOf = async (row: number) => {
    const { entry } = await getPreviousChange.run(ctx, { id: rows[row]?.id ?? "" });
    return rows.findIndex(({ id }) => id === entry?.id);
  };
  expect(await previousOf(4)).toBe(0);
  expect(await previousOf(0)).toBe(-1);
  expect(await previousOf(7)).toBe(5);
  expect(await previousOf(10)).toBe(8);
  expect(await previousOf(9)).toBe(-1);
  const stranger = await ctxFor(await createUser());
  await expect(getPreviousChange.run(stranger, { id: rows[4]?.id ?? "" })).rejects.toMatchObject({ code: "not_found" });
});

test("the print view lists up to 1,000 matches and reports the total", async () => {
  const org = await createOrg();
  const ctx = await ctxFor(await createUser({ orgId: org.id, role: "org_viewer" }));
  const events = Array.from({ length: 1_005 }, (_, n): TestEvent => ({ orgId: org.id, timestamp: at(n) }));
  await appendEvents([...events, { orgId: org.id, action: "policy.update" }]);
  const print = await listForPrint.run(ctx, { action: ["device"] });
  expect([print.data.length, print.total, print.truncated]).toEqual([1_000, 1_005, false]);
  expect(print.data[0]?.timestamp).toBe(at(1_004).toISOString());
  expect((await listForPrint.run(ctx, { action: ["policy"] })).data).toHaveLength(1);
});
