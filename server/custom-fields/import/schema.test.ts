import { expect, it } from "vitest";
import { MAX_CHOICE, MAX_CHOICES } from "@/server/custom-fields/schema";

import { formatInput, planInput } from "./schema";

const id = crypto.randomUUID();
const field = {
  column: 2,
  action: "create",
  fieldId: id,
  name: "Rack",
  fieldKey: "rack",
  type: "dropdown",
  options: null,
  secret: false,
  dateOrder: "ymd",
  typeConflictAccepted: false,
  overwrite: false,
  clearBlank: false,
} as const;
const identifiers = { sourceId: 0, hostname: 1, organization: null, serial: null };
const parse = (planned: object) => planInput.parse({ id, plan: { identifiers, fields: [planned] } }).plan.fields[0];

it("replaces text in a plan or format that the database would reject", () => {
  const decisions = [{ text: "x\0", action: "map", to: "\udc00" }];
  const planned = parse({ ...field, name: "Rack\0", options: ["A\ud800"], decisions });
  expect(planned).toMatchObject({ name: "Rack\ufffd", options: ["A\ufffd"] });
  expect(planned?.decisions).toEqual([{ text: "x\ufffd", action: "map", to: "\ufffd" }]);
  expect(formatInput.parse({ id, fileNo: 0, format: { sheet: "S\0" } }).format).toEqual({ sheet: "S\ufffd" });
});

it.each([
  ["too many", Array.from({ length: MAX_CHOICES + 1 }, (_, i) => `Site ${i}`)],
  ["too long", ["x".repeat(MAX_CHOICE + 1)]],
  ["repeated", ["HQ", "HQ"]],
])("accepts choices that are %s only for a skipped field", (_, options) => {
  expect(parse({ ...field, action: "skip", options })).toMatchObject({ options });
  for (const action of ["create", "existing"]) expect(() => parse({ ...field, action, options })).toThrow();
});
