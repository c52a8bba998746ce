import { expect, it } from "vitest";
import { type Verified, verifiedText, withVerdict } from "./verify-dialog";

const found = (...statuses: Verified["status"][]): Verified[] =>
  statuses.map((status, i) => {
    const org = { orgId: String(i), name: `Organization ${i}` };
    return status === "failed" ? { ...org, status, message: "The server is busy." } : { ...org, status };
  });

it("counts an organization without a verdict as unverified and offers a retry", () => {
  const some = found("intact", "failed", "broken", "failed");
  expect(verifiedText(some, 6, true)).toBe("2 of 6 organizations verified, 2 could not be verified");
  expect(verifiedText(some, 6, false)).toBe("2 of 6 organizations verified, 2 could not be verified, stopped");
  expect(verifiedText(some, 4, false)).toBe("1 intact, 1 broken, 2 could not be verified");
  expect(withVerdict(some).map(({ orgId }) => orgId)).toEqual(["0", "2"]);
});

it("shows the verdicts once all organizations have one", () => {
  expect(verifiedText(found("empty", "intact", "intact"), 3, false)).toBe("2 intact, 1 no entries yet");
  expect(verifiedText(found("intact"), 3, true)).toBe("1 of 3 organizations verified");
});
