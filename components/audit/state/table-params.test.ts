import { expect, test } from "vitest";
import { columnsOf, movedTo, tableParsers, toggled } from "./table-params";

test("the event is always included, and a saved column that no longer exists is dropped", () => {
  expect(tableParsers.cols.parse("time,time")).toEqual(["event", "time"]);
  expect(tableParsers.cols.parse("")).toBeNull();
  expect(columnsOf(["time", "gone", "event"])).toEqual(["time", "event"]);
});

test("a column is added at its default position and moved at most to either end", () => {
  expect(toggled(["time", "event", "result"], "ip")).toEqual(["time", "event", "ip", "result"]);
  expect(toggled(["event"], "result")).toEqual(["event", "result"]);
  expect(movedTo(["time", "event"], "time", 9)).toEqual(["event", "time"]);
  expect(movedTo(["time", "event"], "time", -1)).toEqual(["time", "event"]);
});
