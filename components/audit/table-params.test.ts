import { expect, test } from "vitest";
import { columnsOf, movedTo, tableParsers, toggled } from "./table-params";

test("the address names columns in their order; the event is always one of them", () => {
  expect(tableParsers.cols.parse("result,event,time")).toEqual(["result", "event", "time"]);
  expect(tableParsers.cols.parse("time,time")).toEqual(["event", "time"]);
  expect(tableParsers.cols.serialize(["time", "event"])).toBe("time,event");
});

test("an address with a column that does not exist is not understood", () => {
  expect(tableParsers.cols.parse("time,colour")).toBeNull();
  expect(tableParsers.cols.parse("")).toBeNull();
});

test("a column that was kept and is no more is left out", () => {
  expect(columnsOf(["time", "gone", "event"])).toEqual(["time", "event"]);
});

test("a column is added where it is offered and taken away again", () => {
  expect(toggled(["time", "event", "result"], "ip")).toEqual(["time", "event", "ip", "result"]);
  expect(toggled(["event"], "result")).toEqual(["event", "result"]);
  expect(toggled(["time", "event"], "time")).toEqual(["event"]);
});

test("a column is moved, at most to the ends", () => {
  expect(movedTo(["time", "event", "result"], "result", 0)).toEqual(["result", "time", "event"]);
  expect(movedTo(["time", "event"], "time", 9)).toEqual(["event", "time"]);
  expect(movedTo(["time", "event"], "time", -1)).toEqual(["time", "event"]);
});
