import { expect, test } from "vitest";
import { factOf, factsOf, labelOfMember } from "./fact";

test.each([
  ["durationMs", "Duration"],
  ["row_count", "Row count"],
  ["fileSizeBytes", "File size"],
  ["sessionId", "Session ID"],
  ["previousIp", "Previous IP"],
  ["Ms", "Ms"],
  ["runningVMs", "Running VMs"],
  ["MAX_ROWS", "Max rows"],
])("the member %s is called %s", (name, label) => {
  expect(labelOfMember(name)).toBe(label);
});

test.each([
  ["durationMs", 350, "350 ms"],
  ["durationMs", 125_000, "2 min (125,000 ms)"],
  ["uptimeSeconds", 3_900, "1 h 5 min (3,900 s)"],
  ["retentionDays", 365, "365 days"],
  ["sizeBytes", 1_400_000, "1.4 MB (1,400,000 bytes)"],
  ["runningVMs", 5, "5"],
  ["size", 12, "12"],
  ["sizeGb", 16, "16"],
  ["rowCount", 48_112, "48,112"],
  ["serial", 1.2345678901234567e19, "about 12,345,678,901,234,567,000; exports contain every digit"],
  ["port", 8443, "8443"],
  ["enabled", false, "No"],
  ["note", "", "(empty)"],
  ["note", null, "None"],
  ["formats", ["csv", "json"], "csv, json"],
  ["formats", [], "None"],
])("%s %j reads %s", (name, value, text) => {
  expect(factOf(name, value)).toEqual({ kind: "text", text });
});

test("recognizes times, addresses and ids", () => {
  const id = "0190a000-0000-7000-8000-000000000001";
  expect(factOf("startedAt", "2026-11-17T10:00:00+01:00")).toEqual({ kind: "time", at: "2026-11-17T09:00:00.000Z" });
  expect(factOf("previousIp", "203.0.113.9")).toEqual({ kind: "address", address: "203.0.113.9" });
  expect(factOf("from", "2001:db8::1")).toEqual({ kind: "address", address: "2001:db8::1" });
  expect(factOf("deviceId", id)).toEqual({ kind: "id", id, of: "device" });
  expect(factOf("sessionId", "s-77")).toEqual({ kind: "id", id: "s-77", of: "session" });
  expect(factOf("jobId", id)).toEqual({ kind: "code", text: id });
  expect(factOf("clock", "10:30")).toEqual({ kind: "text", text: "10:30" });
});

test("nested values become groups with paths, and JSON when too deep", () => {
  expect(factsOf({ before: {}, filter: { user: "jane", list: [{ a: 1 }] } }, ["before"])).toMatchObject([
    {
      path: "filter",
      label: "Filter",
      fact: {
        kind: "group",
        facts: [
          { path: "filter.user", label: "User", fact: { kind: "text", text: "jane" } },
          {
            path: "filter.list",
            label: "List",
            fact: {
              kind: "group",
              facts: [
                {
                  path: "filter.list[0]",
                  label: "1",
                  fact: {
                    kind: "group",
                    facts: [{ path: "filter.list[0].a", label: "A", fact: { kind: "text", text: "1" } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ]);
  expect(factOf("a", { b: { c: { d: { e: { f: 1 } } } } })).toMatchObject({
    facts: [{ fact: { facts: [{ fact: { facts: [{ fact: { kind: "group" } }] } }] } }],
  });
});

test("a list of objects says how many more the raw entry has", () => {
  const list = (length: number) => Array.from({ length }, (_, n) => ({ n }));
  expect(factOf("list", list(50))).toMatchObject({ facts: { length: 50 } });
  const fact = factOf("list", list(53));
  expect(fact.kind === "group" && fact.facts.slice(50)).toMatchObject([
    {
      path: "list[more]",
      label: "More",
      fact: { text: "and 3 more, in the raw entry" },
      value: [50, 51, 52].map((n) => ({ n })),
    },
  ]);
});
