import { expect, it } from "vitest";
import { problemAnswer } from "./problem";

const thrownBy = (code: string) => Object.assign(new Error("canceling statement due to statement timeout"), { code });

it.each([thrownBy("57014"), new Error("Failed query: INSERT …", { cause: thrownBy("57014") })])(
  "a statement timeout returns 503 with Retry-After",
  (error) => {
    const { status, headers, body } = problemAnswer(error, "r-1");
    expect({ status, retry: headers["Retry-After"] }).toEqual({ status: 503, retry: "2" });
    expect(JSON.parse(String(body))).toMatchObject({
      code: "unavailable",
      detail: "The database did not answer in time.",
    });
  },
);

it("an unexpected error returns a bare 500", () => {
  expect(problemAnswer(thrownBy("42P01"), "r-1")).toMatchObject({ status: 500 });
});
