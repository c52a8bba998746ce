import { expect, it } from "vitest";
import { eventByIdInput, eventsInput } from "./schema";

const deviceId = "11111111-1111-4111-8111-111111111111";
const parse = (query: object) => eventsInput.safeParse({ deviceId, name: "System", ...query });

it("a query defaults to 50 rows on page 1, and its limit is capped at 500", () => {
  expect(parse({}).data).toEqual({ deviceId, name: "System", page: 1, limit: 50 });
  expect(parse({ page: "3", limit: "900" }).data).toMatchObject({ page: 3, limit: 500 });
  for (const query of [{ page: "0" }, { limit: "-1" }, { limit: "x" }, { page: "1.5" }])
    expect(parse(query).success).toBe(false);
});

it("accepts levels of every vocabulary in any case and normalizes them", () => {
  for (const [given, wanted] of [
    ["ERROR", "error"],
    ["Warn", "warning"],
    ["info", "information"],
    ["crit", "critical"],
    ["debug", "verbose"],
  ])
    expect(parse({ level: given }).data?.level).toBe(wanted);
  expect(parse({ level: "loud" }).success).toBe(false);
  expect(parse({ level: "" }).data?.level).toBeUndefined();
});

it("rejects invalid or reversed times and non-numeric event IDs", () => {
  expect(parse({ startTime: "2026-01-01T00:00:00Z", endTime: "2026-01-02T00:00:00+02:00" }).success).toBe(true);
  expect(parse({ startTime: "2026-01-03T00:00:00Z", endTime: "2026-01-02T00:00:00Z" }).success).toBe(false);
  expect(parse({ startTime: "yesterday" }).success).toBe(false);
  expect(parse({ eventId: "4625" }).data?.eventId).toBe(4625);
  expect(parse({ eventId: "0" }).data?.eventId).toBe(0);
  expect(parse({ eventId: "4625x" }).success).toBe(false);
});

it("accepts record IDs of every log, including microsecond timestamps", () => {
  const recordOf = (recordId: string) => eventByIdInput.safeParse({ id: deviceId, name: "unified", recordId });
  expect(recordOf("1763629200123456").data?.recordId).toBe(1_763_629_200_123_456);
  expect(recordOf("9007199254740993").success).toBe(false);
});
