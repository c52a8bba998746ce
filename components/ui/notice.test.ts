import { expect, test } from "vitest";
import { errorText, readErrorText } from "./notice";

test("only a failed read is known to have changed nothing", () => {
  const lost = new TypeError("Failed to fetch");
  expect(errorText(lost)).toBe("The server could not be reached. Whether the request was processed is not known.");
  expect(readErrorText(lost)).toBe("The server could not be reached. Nothing was changed.");
  const refused = { data: { problem: { detail: "Too many rows." } } };
  expect([errorText(refused), readErrorText(refused)]).toEqual(["Too many rows.", "Too many rows."]);
});
