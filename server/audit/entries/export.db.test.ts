import { expect, it } from "vitest";
import { runRetention } from "@/server/retention/run";
import { appendEvents } from "@/testing/audit-entries";
import { daysAgo, roles } from "@/testing/chain";
import { call, createApiKey, createUser, send } from "@/testing/factories";
import { EXPORT_SLOTS } from "./export-schema";

/** More than are read before a client reads the first. */
const ROWS = 1_000;

const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 12, minute));

it("GET applies the list filters and exports the rows that the list shows (spec, Export rules)", async () => {
  const jane = await createUser({ role: "org_admin" });
  const base = { orgId: jane.orgId as string, actorType: "user" as const };
  await appendEvents([
    { ...base, timestamp: at(1), actorId: jane.id, action: "device.create", resourceName: "WS-1" },
    { ...base, timestamp: at(2), actorId: jane.id, action: "user.login", resourceName: "Jane", result: "failure" },
    { ...base, timestamp: at(3), action: "device.delete", resourceName: "WS-2" },
  ]);
  const queries = [
    "action=DEVICE.",
    "resource=ws-",
    "result=failure",
    // The exports themselves are recorded, each a moment after it.
    "excludeActions=user.login,audit_logs.export",
    "q=ws-2",
    `from=${at(2).toISOString()}&to=${at(3).toISOString()}`,
    `action=device&userId=${jane.id}`,
  ];
  for (const query of queries) {
    const listed = await call(jane, `GET /audit-logs/logs?${query.replace("userId", "actorId")}`);
    const exported = await call(jane, `GET /audit-logs/export?${query}`);
    const ids = exported.text
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => line.slice(0, 36));
    expect(ids, query).toEqual(listed.body.data.map(({ id }: { id: string }) => id));
    expect(ids.length, query).toBeGreaterThan(0);
  }
  const refused = await call(jane, "GET /audit-logs/export?actoin=device");
  expect(refused.body).toMatchObject({ status: 400, errors: [{ path: "actoin" }] });
});

it("POST reports the rows written when retention prunes some during the export", async () => {
  const { orgId } = await createUser({ role: "org_admin" });
  const owned = { orgId: orgId as string, timestamp: new Date(daysAgo(400)) };
  const details = { text: "x".repeat(4_000) };
  await appendEvents(Array.from({ length: ROWS }, () => ({ ...owned, details })));
  const { key } = await createApiKey({ orgId: orgId as string, permissions: ["audit:export"] });
  const answer = await send(key, "POST /audit-logs/export", { format: "json" });
  const run = await runRetention({ orgIds: [orgId as string] });
  expect(run).toMatchObject({ status: "done", rows: ROWS });
  const { data, total, truncated } = await answer.json();
  expect({ total, truncated }).toEqual({ total: data.length, truncated: false });
  expect(data.length).toBeLessThan(ROWS);
});

it("rejects exports beyond the concurrency limit immediately with 429", async () => {
  const { orgId } = await createUser({ role: "org_admin" });
  const { key } = await createApiKey({ orgId: orgId as string, permissions: ["audit:export"] });
  const tooMany = 6;
  const statuses: number[] = [];
  const ask = async () => void statuses.push((await call(key, "GET /audit-logs/export?action=device")).status);
  let asked: Promise<unknown> = Promise.resolve();
  await roles.owner.begin(async (tx) => {
    await tx`LOCK TABLE audit_logs IN ACCESS EXCLUSIVE MODE`;
    asked = Promise.all(Array.from({ length: EXPORT_SLOTS.max + tooMany }, ask));
    // Those that wait for the table do so for half a minute at most.
    await expect.poll(() => statuses, { timeout: 25_000 }).toEqual(Array(tooMany).fill(429));
  });
  await asked;
  expect(statuses.slice(tooMany)).toEqual(Array(EXPORT_SLOTS.max).fill(200));
});
