import { expect, it } from "vitest";
import { tooManyText } from "./sign-in";

it("a rate-limited sign-in shows the time to wait, rounded up", () => {
  expect(tooManyText("42")).toBe("Too many attempts. Try again in 42 s.");
  expect(tooManyText("870")).toBe("Too many attempts. Try again in 15 min.");
  expect(tooManyText("3540.5")).toBe("Too many attempts. Try again in 1 h.");
  for (const unknown of [null, "", "soon"]) expect(tooManyText(unknown)).toBe("Too many attempts. Try again later.");
});
