import { expect, it } from "vitest";
import { presetOf } from "@/server/custom-fields/import/presets";
import { defaultPlan } from "./default-plan";
import { ColumnWatch } from "./guess-type";
import { planFaults } from "./plan-faults";

const automate = presetOf("automate");

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
const faultsOf = (options: string[]) => {
  const columns = [column(0, "Computer Name", null), column(1, "Role", options)];
  const plan = defaultPlan(columns, [], automate);
  return planFaults(plan, { columns, definitions: [], mayDefine: true, unknown: [] });
};

it("reports a duplicate choice in a new dropdown", () => {
  expect(faultsOf(["DC", "File"])).toEqual([]);
  expect(faultsOf(["DC", "File", "DC"])).toEqual([{ path: "fields.1", message: "a choice is named twice: DC" }]);
});
