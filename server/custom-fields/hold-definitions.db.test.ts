import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { atOnce, waiting } from "@/testing/held-rows";
import { checkText, createDevices, createSimple, createWorld, valuesOf } from "@/testing/import/imports";
import { workOff } from "@/testing/jobs";
import { createDefinition, listDefinitions, lockDefinitions, removeDefinition } from "./definitions";
import { getImport } from "./import/imports";
import { importWork } from "./import/run/run-job";
import { startRun, startUndo } from "./import/start";
import { createInput } from "./schema";
import { setDeviceValues } from "./set-values";

it("deleting a field also deletes a value being written at that moment", async () => {
  const { ctx, partnerId, a } = await createWorld();
  const [id = ""] = await createDevices(partnerId, [{ orgId: a.id, hostname: "T" }]);
  const create = (fieldKey: string) =>
    createDefinition.run(ctx, createInput.parse({ name: fieldKey, fieldKey, type: "text" }));
  const [rack] = [await create("rack"), await create("site")];
  await setDeviceValues.run(ctx, { id, site: "Ghent" });
  let written: Promise<unknown> = Promise.resolve();
  let removed: Promise<unknown> = Promise.resolve();
  await asSystem(async (tx) => {
    await tx.execute(sql`SELECT 1 FROM custom_field_values WHERE device_id = ${id}::uuid FOR UPDATE`);
    written = setDeviceValues.run(ctx, { id, rack: "R1" });
    await expect.poll(waiting).toBeGreaterThan(0);
    removed = removeDefinition.run(ctx, { id: rack.id });
    await Promise.race([removed, new Promise((done) => setTimeout(done, 300))]);
  });
  await Promise.all([written, removed]);
  expect(await valuesOf(id)).toEqual(["Ghent"]);
});

it("when two people delete a field at once, one gets not_found", async () => {
  const { ctx } = await createWorld();
  const rack = await createDefinition.run(ctx, createInput.parse({ name: "Rack", fieldKey: "rack", type: "text" }));
  const remove = () =>
    removeDefinition.run(ctx, rack).then(
      () => "deleted",
      ({ code }: { code: string }) => code,
    );
  const ends = await atOnce((tx) => lockDefinitions(tx, rack), [remove, remove]);
  expect(ends.sort()).toEqual(["deleted", "not_found"]);
});

it("an import and its undo stop when a field is deleted, without writing its values", async () => {
  const { ctx, ids, text } = await createSimple();
  const { id } = await checkText(ctx, text);
  await startRun.run(ctx, { id });
  const { data } = await listDefinitions.run(ctx, {});
  const tag = data.find(({ fieldKey }) => fieldKey === "asset_tag");
  await removeDefinition.run(ctx, { id: tag?.id ?? "" });
  await workOff(importWork);
  expect(await getImport.run(ctx, { id })).toMatchObject({
    status: "cancelled",
    error: "Asset Tag was deleted or given another type during the import, which ended there.",
  });
  expect(await Promise.all(ids.map(valuesOf))).toEqual([null, null, null]);
  await startUndo.run(ctx, { id });
  await workOff(importWork);
  expect(await Promise.all(ids.map(valuesOf))).toEqual([null, null, null]);
});
