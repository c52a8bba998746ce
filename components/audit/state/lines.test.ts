import { expect, test } from "vitest";
import type { Entry } from "@/components/audit/entry";
import { listedEntry } from "@/testing/listed-entry";
import { daysOf, type Line, organizationsIn, type RoutineFold } from "./lines";

const entryAt = (timestamp: string, change: Partial<Entry> = {}) => listedEntry({ timestamp, ...change });

const NOW = new Date("2026-11-20T20:00:00Z");
const options = {
  routine: [] as RoutineFold[],
  isFolding: true,
  ends: { hasNewer: false, hasOlder: false },
  reader: { zone: "UTC", now: NOW },
};
const minutes = (n: number, change?: Partial<Entry>) =>
  Array.from({ length: n }, (_, i) => entryAt(`2026-11-20T10:${String(59 - i).padStart(2, "0")}:00.000Z`, change));
const shape = (lines: Line[] = []) =>
  lines.map((line) => (line.kind === "repeat" ? line.entries.length : line.kind === "routine" ? line.fold.count : "1"));

test("adjacent repeats become one line that contains all of them", () => {
  const entries = minutes(5);
  const [day] = daysOf({ ...options, entries });
  expect(shape(day?.lines)).toEqual([5]);
  expect(day?.lines[0]).toMatchObject({ kind: "repeat", entries, isTruncated: false, key: entries[4]?.id });
  expect(shape(daysOf({ ...options, entries: minutes(2) })[0]?.lines)).toEqual(["1", "1"]);
  expect(shape(daysOf({ ...options, entries, isFolding: false })[0]?.lines)).toEqual(["1", "1", "1", "1", "1"]);
});

test("failures and denials are never folded and split repeats", () => {
  const [a, b, c, d, e, f, g] = minutes(7);
  const denied = { ...(d as Entry), result: "denied" as const };
  const entries = [a, b, c, denied, e, f, g] as Entry[];
  expect(shape(daysOf({ ...options, entries })[0]?.lines)).toEqual([3, "1", 3]);
  const failed = minutes(6, { result: "failure" });
  expect(shape(daysOf({ ...options, entries: failed })[0]?.lines)).toEqual(["1", "1", "1", "1", "1", "1"]);
});

test("a different actor, action or target is not a repeat; a different organization is", () => {
  const other = (change: Partial<Entry>) =>
    shape(daysOf({ ...options, entries: [...minutes(3), entryAt("2026-11-20T10:00:00.000Z", change)] })[0]?.lines);
  expect(other({ user: { id: "joe", name: "Joe", email: "", role: "" } })).toEqual([3, "1"]);
  expect(other({ action: "user.logout" })).toEqual([3, "1"]);
  expect(other({ resource: { type: "device", id: "d", name: "WS" } })).toEqual([3, "1"]);
  expect(other({ orgId: "org-2" })).toEqual([4]);
  const everywhere = minutes(40).map((entry, i) => ({ ...entry, orgId: `org-${i}` }));
  expect(organizationsIn(everywhere)).toBe(40);
});

test("a repeat at the end of a page with a neighbour page is marked as truncated", () => {
  const entries = [...minutes(3), ...minutes(3, { action: "user.logout" })];
  const cut = (hasNewer: boolean, hasOlder: boolean) =>
    daysOf({ ...options, entries, ends: { hasNewer, hasOlder } })[0]?.lines.map(
      (line) => line.kind === "repeat" && line.isTruncated,
    );
  expect(cut(false, false)).toEqual([false, false]);
  expect(cut(true, false)).toEqual([true, false]);
  expect(cut(false, true)).toEqual([false, true]);
});

test("days are those of the display zone, and a repeat does not cross midnight", () => {
  const entries = [1, 0, 23, 22].map((hour) =>
    entryAt(`2026-11-${hour > 12 ? 19 : 20}T${String(hour).padStart(2, "0")}:30:00.000Z`),
  );
  expect(daysOf({ ...options, entries }).map(({ lines }) => lines.length)).toEqual([2, 2]);
  const berlin = daysOf({ ...options, entries, reader: { zone: "Europe/Berlin", now: NOW } });
  expect(berlin.map(({ name, lines }) => [name.slice(0, 9), shape(lines)])).toEqual([
    ["Today, 20", [3]],
    ["Yesterday", ["1"]],
  ]);
});

test("after midnight the same day has another name", () => {
  const [before] = daysOf({ ...options, entries: minutes(1) });
  const tomorrow = { zone: "UTC", now: new Date("2026-11-21T00:00:30Z") };
  const [after] = daysOf({ ...options, entries: minutes(1), reader: tomorrow });
  expect([before?.name, after?.name]).toEqual(["Today, 20 November 2026", "Yesterday, 20 November 2026"]);
  expect(after?.date).toBe(before?.date);
});

test("telemetry is placed at its newest entry, even on a day without other entries", () => {
  const fold = (first: string, last: string, count: number): RoutineFold => ({ first, last, count, actors: 2 });
  const entries = [entryAt("2026-11-20T12:00:00.000Z"), entryAt("2026-11-20T09:00:00.000Z", { action: "user.logout" })];
  const routine = [
    fold("2026-11-20T00:05:00.000Z", "2026-11-20T11:00:00.000Z", 24),
    fold("2026-11-18T00:05:00.000Z", "2026-11-18T05:55:00.000Z", 7),
  ];
  const days = daysOf({ ...options, entries, routine });
  expect(days.map(({ lines }) => shape(lines))).toEqual([["1", 24, "1"], [7]]);
  expect(days[1]?.name).toBe("Wednesday, 18 November 2026");
});
