import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { appSql, asSystem } from "@/db/client";
import { createDevice, ctxFor, type TestDevice } from "@/testing/factories";
import { type InsertRows, storeRows } from "./store-rows";

const insertInto =
  (device: TestDevice): InsertRows =>
  (db, rows) =>
    db`
  INSERT INTO agent_logs (device_id, org_id, timestamp, level, component, message)
  SELECT ${device.id}::uuid, ${device.orgId}::uuid, now(), 'info', 'test', r.message FROM ${rows} AS r(message text)`;

const messages = (count: number) => Array.from({ length: count }, (_, i) => ({ message: `m${i}` }));

const stored = async (device: TestDevice) =>
  (await asSystem((tx) => tx.execute(sql`SELECT 1 FROM agent_logs WHERE device_id = ${device.id}::uuid`))).length;

describe("storeRows", () => {
  it("stores one or several batches", async () => {
    const device = await createDevice();
    const { scope } = await ctxFor(device);
    for (const count of [0, 1, 100, 101, 350])
      expect(await storeRows(scope, messages(count), insertInto(device))).toBe(count);
    expect(await stored(device)).toBe(552);
  });

  it("rejects rows of another organization for any number of rows", async () => {
    const [device, other] = [await createDevice(), await createDevice()];
    const { scope } = await ctxFor(other);
    for (const count of [1, 350])
      await expect(storeRows(scope, messages(count), insertInto(device))).rejects.toMatchObject({ code: "42501" });
    expect(await stored(device)).toBe(0);
  });

  it("leaves no tenant set on the connection", async () => {
    const device = await createDevice();
    const { scope } = await ctxFor(device);
    await Promise.all(Array.from({ length: 20 }, () => storeRows(scope, messages(1), insertInto(device))));
    const counts = await Promise.all(Array.from({ length: 20 }, () => appSql()`SELECT 1 FROM agent_logs`));
    expect(counts.every((rows) => rows.length === 0)).toBe(true);
  });

  it("stores all batches or none", async () => {
    const device = await createDevice();
    const { scope } = await ctxFor(device);
    const rows = messages(350).map((row, i) => (i === 349 ? { message: null } : row));
    await expect(storeRows(scope, rows, insertInto(device))).rejects.toThrow();
    expect(await stored(device)).toBe(0);
  });
});
