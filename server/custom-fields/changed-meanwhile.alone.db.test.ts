import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { auditLogs } from "@/db/schema";
import { flushRecording, startRecording, stopRecording } from "@/server/audit/record/record";
import { createDevices, createWorld, valuesOf } from "@/testing/import/imports";
import { createDefinition, getDefinition, holdDefinitions, removeDefinition } from "./definitions";
import { createInput, type Definition } from "./schema";
import { setDeviceValues } from "./set-values";
import { retypeDefinition, updateDefinition } from "./update";

beforeAll(() => startRecording({ dir: mkdtempSync(join(tmpdir(), "trailmark-spool-")) }));
afterAll(stopRecording);

/** A text field with a default, and a device that holds a value of it. */
async function arrange() {
  const { ctx, partnerId, a } = await createWorld();
  const [id = ""] = await createDevices(partnerId, [{ orgId: a.id, hostname: "T" }]);
  const given = { name: "Pin", fieldKey: "pin", type: "text", defaultValue: "4711" };
  const field = await createDefinition.run(ctx, createInput.parse(given));
  await setDeviceValues.run(ctx, { id, pin: "12" });
  return { ctx, id, field };
}

/** Sessions that wait to be the only one that has a partner's definitions. */
const waiting = () =>
  asSystem(async (tx) => {
    const [found] = await tx.execute<{ n: number }>(sql`
      SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%pg_advisory_xact_lock(%'`);
    return found?.n;
  });

/** Begins something that waits for a writer of values; the other thing is done meanwhile, and then it goes on. */
async function whileItWaits<T>(field: Definition, work: () => Promise<T>, other: () => Promise<unknown>): Promise<T> {
  const { begun } = await asSystem(async (tx) => {
    await holdDefinitions(tx, field);
    const begun = work();
    await expect.poll(waiting).toBe(1);
    await other();
    return { begun };
  });
  return begun;
}

/** The details of the newest entry of a field. */
async function recordedOf({ id }: Definition, action: "custom_field.update" | "custom_field.delete") {
  await flushRecording(60_000);
  const [entry] = await asSystem((tx) =>
    tx
      .select({ details: auditLogs.details })
      .from(auditLogs)
      .where(and(eq(auditLogs.resourceId, id), eq(auditLogs.action, action)))
      .orderBy(sql`${auditLogs.chainSeq} DESC`)
      .limit(1),
  );
  return entry?.details;
}

it("a field that becomes a secret while it waits for its new type stays one, and is recorded as one", async () => {
  const { ctx, id, field } = await arrange();
  const retyped = await whileItWaits(
    field,
    () => retypeDefinition.run(ctx, { id: field.id, type: "number" }),
    () => updateDefinition.run(ctx, { id: field.id, secret: true, name: "Secret pin" }),
  );
  const now = { type: "number", secret: true, name: "Secret pin", defaultValue: 4711 };
  expect(retyped).toMatchObject(now);
  expect(await getDefinition.run(ctx, field)).toMatchObject(now);
  expect(await valuesOf(id)).toEqual([12]);
  const recorded = await recordedOf(field, "custom_field.update");
  expect(recorded).toMatchObject({
    before: { type: "text", secret: true, name: "Secret pin" },
    after: { type: "number", secret: true, name: "Secret pin" },
  });
  expect(JSON.stringify(recorded)).not.toContain("4711");
});

it("a field that becomes a secret while it waits to be deleted is recorded as one", async () => {
  const { ctx, field } = await arrange();
  await whileItWaits(
    field,
    () => removeDefinition.run(ctx, field),
    () => updateDefinition.run(ctx, { id: field.id, secret: true, name: "Secret pin" }),
  );
  const recorded = await recordedOf(field, "custom_field.delete");
  expect(recorded).toMatchObject({ before: { secret: true, name: "Secret pin" }, values: 1 });
  expect(JSON.stringify(recorded)).not.toContain("4711");
});
