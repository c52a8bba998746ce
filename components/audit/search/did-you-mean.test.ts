import { expect, test } from "vitest";
import { suggestionsNear } from "./did-you-mean";

const device = (name: string) => ({ kind: "device" as const, id: name, name, called: [name.toLowerCase()] });
const jane = { kind: "actor" as const, id: "1", name: "Jane Doe", called: ["jane doe", "jane", "doe"] };

test.each([
  ["fialed", "failed"],
  ["yesterdya", "yesterday"],
  ["tuseday", "tuesday"],
  ["antivrus", "antivirus"],
  ["delted", "delete"],
  ["LAM-SRV-05", "LAM-SRV-005"],
  ["jnae", "Jane Doe"],
  ["permision", "permission"],
])("%s may mean %s", (typed, meant) => {
  expect(suggestionsNear(typed, [jane, device("LAM-SRV-005"), device("CDG-WS-008")])).toContain(meant);
});

test("a word unlike every known one has no suggestion", () => {
  expect(suggestionsNear("zzzzzz", [jane])).toEqual([]);
});
