import { expect, it } from "vitest";
import type { Ctx } from "@/server/ground/context";
import { auditRows } from "@/testing/factories";
import { whileHeld } from "@/testing/held-rows";
import { createDevices, createWorld, valuesOf } from "@/testing/import/imports";
import { createDefinition, getDefinition, holdDefinitions, removeDefinition } from "./definitions";
import { createInput, type Definition } from "./schema";
import { setDeviceValues } from "./set-values";
import { retypeDefinition, updateDefinition } from "./update";

/** A text field with a default, and a device that holds a value of it. */
async function arrange() {
  const { ctx, partnerId, a } = await createWorld();
  const [id = ""] = await createDevices(partnerId, [{ orgId: a.id, hostname: "T" }]);
  const given = { name: "Pin", fieldKey: "pin", type: "text", defaultValue: "4711" };
  const field = await createDefinition.run(ctx, createInput.parse(given));
  await setDeviceValues.run(ctx, { id, pin: "12" });
  return { ctx, id, field };
}

/** Begins something that waits for a writer of values; the other thing is done meanwhile, and then it goes on. */
const whileItWaits = <T>(field: Definition, work: () => Promise<T>, other: () => Promise<unknown>): Promise<T> =>
  whileHeld((tx) => holdDefinitions(tx, field), work, other);

/** The details of the newest entry of a partner, which is about a field. */
const newestOf = async ({ homeOrgId }: Ctx) => (await auditRows(homeOrgId ?? "")).at(-1);

it("a field marked secret during a type change stays secret and is recorded as a secret", async () => {
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
  const recorded = await newestOf(ctx);
  const details = {
    before: { type: "text", secret: true, name: "Secret pin" },
    after: { type: "number", secret: true, name: "Secret pin" },
  };
  expect(recorded).toMatchObject({ action: "custom_field.update", resourceId: field.id, details });
  expect(JSON.stringify(recorded?.details)).not.toContain("4711");
});

it("a field marked secret during its deletion is recorded without its values", async () => {
  const { ctx, field } = await arrange();
  await whileItWaits(
    field,
    () => removeDefinition.run(ctx, field),
    () => updateDefinition.run(ctx, { id: field.id, secret: true, name: "Secret pin" }),
  );
  const recorded = await newestOf(ctx);
  const details = { before: { secret: true, name: "Secret pin" }, values: 1 };
  expect(recorded).toMatchObject({ action: "custom_field.delete", resourceId: field.id, details });
  expect(JSON.stringify(recorded?.details)).not.toContain("4711");
});
