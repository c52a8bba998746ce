import { describe, expect, it } from "vitest";
import { hasWrite, VALUE_CODES, VALUE_OUTCOMES, type ValueOutcome, withoutDevice } from "./outcome-schema";
import { formatInput, planInput } from "./schema";

const codesOf = (...outcomes: ValueOutcome[]) => outcomes.map((outcome) => VALUE_CODES[outcome]).join("");

describe("the codes of a row", () => {
  it("write where any value is set, overwritten or cleared", () => {
    const writing = VALUE_OUTCOMES.filter((outcome) => hasWrite(codesOf("empty", outcome, "none")));
    expect(writing).toEqual(["set", "overwrite", "clear"]);
    expect(hasWrite("")).toBe(false);
  });

  it("keep without a device what is said of the cells alone", () =>
    expect(withoutDevice(codesOf(...VALUE_OUTCOMES))).toBe(
      codesOf("none", "none", "none", "none", "none", "invalid", "left_out", "empty", "none"),
    ));

  it("differ by outcome", () => expect(new Set(Object.values(VALUE_CODES)).size).toBe(VALUE_OUTCOMES.length));
});

it("takes no text of a plan or a format that the database would refuse", () => {
  const id = crypto.randomUUID();
  const field = {
    column: 2,
    action: "create",
    fieldId: id,
    fieldKey: "rack",
    type: "dropdown",
    secret: false,
  } as const;
  const rest = { dateOrder: "ymd", typeConflictAccepted: false, overwrite: false, clearBlank: false } as const;
  const decisions = [{ text: "x\0", action: "map", to: "\udc00" }];
  const fields = [{ ...field, ...rest, name: "Rack\0", options: ["A\ud800"], decisions }];
  const identifiers = { sourceId: 0, hostname: 1, organization: null, serial: null };
  const { plan } = planInput.parse({ id, plan: { identifiers, fields } });
  expect(plan.fields[0]).toMatchObject({ name: "Rack\ufffd", options: ["A\ufffd"] });
  expect(plan.fields[0]?.decisions).toEqual([{ text: "x\ufffd", action: "map", to: "\ufffd" }]);
  expect(formatInput.parse({ id, fileNo: 0, format: { sheet: "S\0" } }).format).toEqual({ sheet: "S\ufffd" });
});
