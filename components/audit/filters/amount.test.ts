import { expect, test } from "vitest";
import { amountText } from "./amount";

const page = { shown: 50, total: 1_234, isWhole: false, hasOlder: true };

test.for([
  ["a part of the total", page, "50 of 1,234 entries"],
  ["just the page until that is counted", { ...page, total: null }, "50 entries on this page"],
  ["one entry", { ...page, shown: 1, total: null }, "1 entry on this page"],
  ["everything, although one arrived since", { shown: 2, total: 3, isWhole: true, hasOlder: false }, "2 entries"],
  ["everything, not counted yet", { shown: 2, total: null, isWhole: true, hasOlder: false }, "2 entries"],
  ["a total older than the page", { ...page, total: 50 }, "50 entries on this page"],
  ["fewer in total than shown", { ...page, shown: 7, total: 5, hasOlder: false }, "7 entries on this page"],
  ["all of a live list", { ...page, total: 50, hasOlder: false }, "50 entries"],
] as const)("the amount shown: %s", ([_, amount, text]) => expect(amountText(amount)).toBe(text));
