import { expect, it } from "vitest";
import { unclear } from "./plain-words.mjs";

it.each([
  ["What a page asks in vain is recorded", true],
  ["An alarm is raised. One that stands ends nothing", true],
  ["Makes a key and records all of it", true],
  ["What is wrong with it?", false],
  ["A page's refused request is recorded", false],
])("finds sentences that begin or end like a translated clause: %s", (sentence, isFound) => {
  expect(unclear(sentence)).toBe(isFound);
});
