import { expect, it } from "vitest";
import type { DefinitionRow } from "@/server/custom-fields/definition";
import { plan as planSchema } from "@/server/custom-fields/import/plan-schema";
import { automate } from "@/server/custom-fields/import/presets/automate";
import { newId } from "@/server/ground/ids";
import { defaultPlan } from "./default-plan";
import { ColumnWatch } from "./guess-type";
import { planFaults } from "./plan-faults";

const column = (index: number, title: string, options: string[] | null) => ({
  ...new ColumnWatch().profile(1, "mdy"),
  index,
  title,
  secret: null,
  declared: {
    type: options && ("dropdown" as const),
    options,
    secret: false,
    scope: "computer" as const,
    section: null,
  },
});
const faultsOf = (options: string[], definitions: DefinitionRow[]) => {
  const columns = [column(0, "Computer Name", null), column(1, "Role", options)];
  const plan = defaultPlan(columns, definitions, automate);
  return planFaults(plan, { columns, definitions, mayDefine: true, unknown: [] });
};

it("reports a duplicate choice in a new dropdown", () => {
  expect(faultsOf(["DC", "File"], [])).toEqual([]);
  expect(faultsOf(["DC", "File", "DC"], [])).toEqual([{ path: "fields.1", message: "a choice is named twice: DC" }]);
});

it("accepts an existing dropdown with a duplicate choice", () => {
  const role: DefinitionRow = {
    id: newId(),
    orgId: null,
    partnerId: newId(),
    name: "Role",
    fieldKey: "role",
    type: "dropdown",
    options: ["DC", "File", "DC"],
    required: false,
    defaultValue: null,
    deviceTypes: null,
    secret: false,
    createdAt: new Date(),
    updatedAt: new Date(),
  };
  const columns = [column(0, "Computer Name", null), column(1, "Role", ["DC"])];
  const plan = defaultPlan(columns, [role], automate);
  expect(plan.fields[1]).toMatchObject({ action: "existing", fieldId: role.id, options: ["DC", "File"] });
  expect(planSchema.parse(plan)).toEqual(plan);
  expect(faultsOf(["DC"], [role])).toEqual([]);
});
