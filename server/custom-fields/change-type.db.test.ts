import { expect, it } from "vitest";
import { createDevices, createWorld, valuesOf } from "@/testing/import/imports";
import { createDefinition } from "./definitions";
import { setDeviceValues } from "./set-values";
import { retypeDefinition, updateDefinition } from "./update";

async function arrange(values: string[]) {
  const { ctx, partnerId, a, b } = await createWorld();
  const ids = await createDevices(
    partnerId,
    values.map((_, i) => ({ orgId: (i % 2 ? b : a).id, hostname: `T${i}` })),
  );
  const field = await createDefinition.run(ctx, {
    name: "Rack",
    fieldKey: "rack",
    type: "text",
    required: false,
    secret: false,
  });
  for (const [i, value] of values.entries()) await setDeviceValues.run(ctx, { id: ids[i] as string, rack: value });
  return { ctx, ids, field };
}

it("changing a field's type converts every stored value in all organizations", async () => {
  const { ctx, ids, field } = await arrange(["7", "12", "7"]);
  expect(await retypeDefinition.run(ctx, { id: field.id, type: "number" })).toMatchObject({ type: "number" });
  expect(await Promise.all(ids.map(valuesOf))).toEqual([[7], [12], [7]]);
  await retypeDefinition.run(ctx, { id: field.id, type: "dropdown", options: ["7", "12"] });
  expect(await valuesOf(ids[1] as string)).toEqual(["12"]);
});

it("a change to date rejects values with ambiguous day and month", async () => {
  const { ctx, ids, field } = await arrange(["2024-04-03", "03/04/2024"]);
  await expect(retypeDefinition.run(ctx, { id: field.id, type: "date" })).rejects.toMatchObject({
    message: "type: 1 stored value does not fit date: 03/04/2024",
  });
  expect(await valuesOf(ids[1] as string)).toEqual(["03/04/2024"]);
});

it("rejects a type that a stored value does not fit, without any change", async () => {
  const { ctx, ids, field } = await arrange(["7", "seven", "8"]);
  await expect(retypeDefinition.run(ctx, { id: field.id, type: "number", name: "Renamed" })).rejects.toMatchObject({
    code: "validation_failed",
    message: "type: 1 stored value does not fit number: seven",
  });
  expect(await Promise.all(ids.map(valuesOf))).toEqual([["7"], ["seven"], ["8"]]);
  expect(await updateDefinition.run(ctx, { id: field.id })).toMatchObject({ type: "text", name: "Rack" });
});
