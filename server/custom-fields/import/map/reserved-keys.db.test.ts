import { expect, it } from "vitest";
import { listFaults, savePlan } from "@/server/custom-fields/import/plan";
import type { Plan } from "@/server/custom-fields/import/plan-schema";
import { planInput } from "@/server/custom-fields/import/schema";
import { startCheck } from "@/server/custom-fields/import/start";
import { createSimple, stageText, withFields } from "@/testing/import/imports";

const save = (ctx: Parameters<typeof savePlan.run>[0], id: string, plan: Plan) =>
  savePlan.run(ctx, planInput.parse({ id, plan }));
const keysOf = (plan: Plan | null) => plan?.fields.map(({ fieldKey }) => fieldKey);

it("assigns free keys to ID columns titled with a reserved word", async () => {
  const { ctx } = await createSimple();
  const one = await stageText(ctx, "ID,Computer Name,Asset Tag\n1,PC1,A1\n");
  await save(ctx, one.id, withFields(one, { "Asset Tag": { overwrite: true } }));
  const two = await stageText(ctx, "Computer ID,ID,Computer Name\n1,77,PC1\n");
  expect(keysOf(two.plan)).toEqual(["computer_id", "id_2", "computer_name"]);
});

it("requires another key for a plan's reserved key, except in skipped columns", async () => {
  const { ctx } = await createSimple();
  const { id, plan } = await stageText(ctx, "Computer ID,ID,Computer Name\n1,77,PC1\n");
  const before: Plan = {
    identifiers: plan?.identifiers ?? { sourceId: 0, hostname: 2, organization: null, serial: null },
    fields: (plan?.fields ?? []).map((field) => (field.column === 1 ? { ...field, fieldKey: "id" } : field)),
  };
  const saved = await save(ctx, id, before);
  expect((await listFaults.run(ctx, saved)).faults).toEqual([
    { path: "fields.1.fieldKey", message: "the key id is a reserved word: choose another one" },
  ]);
  await expect(startCheck.run(ctx, saved)).rejects.toThrow(/^ID: the key id is a reserved word/);
  const skipped = await save(ctx, id, withFields(saved, { ID: { action: "skip" } }));
  expect((await listFaults.run(ctx, skipped)).faults.map(({ path }) => path)).toEqual(["fields"]);
});
