import { describe, expect, it } from "vitest";
import { submitInput } from "@/server/audit/record/schema";
import { listInput as auditLogs } from "@/server/audit/schema";
import { listInput as diagnosticLogs } from "@/server/devices/logs/agent-log-schema";
import { invalidInput } from "./errors";

type Schema = typeof auditLogs | typeof diagnosticLogs | typeof submitInput;

/** The faults that the caller receives, as "path: message". */
function faultsOf(schema: Schema, input: unknown): string[] {
  const { error } = schema.safeParse(input);
  return error ? (invalidInput(error).extra.errors ?? []).map(({ path, message }) => `${path}: ${message}`) : [];
}

describe("page limit", () => {
  it.each(["101", "500", "99999999999999999999", "9".repeat(400)])("is capped at the maximum: %s", (limit) => {
    expect(auditLogs.parse({ limit }).limit).toBe(100);
  });

  it.each(["0", "00", "-1", "1.5", "abc", "", "1e3", "+5"])("must be a positive integer: %j", (limit) => {
    expect(faultsOf(auditLogs, { limit })).toEqual(["limit: must be a positive integer"]);
  });
});

describe("errors for values with several forms", () => {
  it.each([
    [{ page: "0" }, "page: must be a positive integer"],
    [{ page: 1.5 }, "page: must be a positive integer"],
    [{ page: ["1", "2"] }, "page: must be a positive integer"],
    [{ skipCount: "yes" }, "skipCount: must be true or false"],
    [{ actorType: 7 }, "actorType: must be text or a list"],
    [{ from: ["2026-11-20T10:00:00Z", "2026-11-21T10:00:00Z"] }, "from: must be text, not a list"],
  ])("name the violated rule for %j", (input, fault) => {
    expect(faultsOf(auditLogs, input)).toEqual([fault]);
  });
});

describe("timestamps", () => {
  it.each([
    "2026-11-20T10:00:00Z",
    "2026-11-20t10:00:00z",
    "2026-11-20T10:00Z",
    "2026-11-20T10:00:00.000000Z",
    "2026-11-20T15:30:00+05:30",
    "2026-11-20T15:30:00 05:30",
    "2026-11-20T15:30+0530",
    "2026-11-20T05:00:00-05",
  ])("accept ISO 8601: %s", (from) => {
    expect(auditLogs.parse({ from }).from).toEqual(new Date("2026-11-20T10:00:00Z"));
  });

  it.each([
    "yesterday",
    "2026-11-20",
    "2026-11-20T10:00:00",
    "2026-13-01T10:00:00Z",
    "2026-02-30T10:00:00Z",
    "1795363880",
    "2026-11-20T10:00:00,123Z",
    "2026-11-20T24:00:00Z",
    "20261120T100000Z",
    "2016-12-31T23:59:60Z",
    "",
  ])("require date, time and zone, and reject rare ISO 8601 forms: %j", (from) => {
    expect(faultsOf(auditLogs, { from })).toEqual([
      "from: is not an ISO 8601 time with its zone, such as 2026-11-20T14:00:00Z",
    ]);
  });
});

it("accepts diagnostic log levels with commas or repeated parameters", () => {
  const id = "00000000-0000-4000-8000-000000000001";
  expect(diagnosticLogs.parse({ id, level: "warn,error" }).level).toEqual(["warn", "error"]);
  expect(diagnosticLogs.parse({ id, level: ["WARNING", "error,debug"] }).level).toEqual(["warn", "error", "debug"]);
});

describe("IP address of a submitted event", () => {
  const faults = (ipAddress: string) =>
    faultsOf(submitInput, {
      events: [{ actorType: "system", actorId: "x", action: "a", resourceType: "r", result: "success", ipAddress }],
    });

  it.each(["203.0.113.7", "2001:db8::1", "::ffff:198.51.100.1", "fe80::1%eth0", ""])("accepts %j", (ip) => {
    expect(faults(ip)).toEqual([]);
  });

  it.each(["999.1.1.1", "1.2.3", "host.example", "10.0.0.0/8", "203.0.113.7:443", "2001:db8::1::2"])(
    "rejects %s",
    (ip) => {
      expect(faults(ip)).toEqual(["events.0.ipAddress: is neither an IPv4 nor an IPv6 address"]);
    },
  );
});
