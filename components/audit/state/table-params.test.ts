import { expect, test } from "vitest";
import { columnsOf, movedTo, tableParsers, toggled } from "./table-params";

test("the URL lists columns in order; the event is always included", () => {
  expect(tableParsers.cols.parse("result,event,time")).toEqual(["result", "event", "time"]);
  expect(tableParsers.cols.parse("time,time")).toEqual(["event", "time"]);
  expect(tableParsers.cols.serialize(["time", "event"])).toBe("time,event");
});

test("a URL with an unknown column is invalid", () => {
  expect(tableParsers.cols.parse("time,colour")).toBeNull();
  expect(tableParsers.cols.parse("")).toBeNull();
});

test("a saved column that no longer exists is dropped", () => {
  expect(columnsOf(["time", "gone", "event"])).toEqual(["time", "event"]);
});

test("a column is added at its default position and removed again", () => {
  expect(toggled(["time", "event", "result"], "ip")).toEqual(["time", "event", "ip", "result"]);
  expect(toggled(["event"], "result")).toEqual(["event", "result"]);
  expect(toggled(["time", "event"], "time")).toEqual(["event"]);
});

test("a column is moved, at most to either end", () => {
  expect(movedTo(["time", "event", "result"], "result", 0)).toEqual(["result", "time", "event"]);
  expect(movedTo(["time", "event"], "time", 9)).toEqual(["event", "time"]);
  expect(movedTo(["time", "event"], "time", -1)).toEqual(["time", "event"]);
});
