import { describe, expect, it } from "vitest";
import { parseLine } from "./parse-line";

const context = {
  program: "syslog",
  fallbackTime: new Date("2026-03-04T05:06:07Z"),
  now: new Date("2026-03-10T00:00:00Z"),
};

describe("parseLine", () => {
  it("reads syslog with ISO times", () => {
    const line = parseLine("2026-03-01T10:00:00.123456+01:00 web01 sshd[812]: Accepted publickey for ops", context);
    expect(line).toEqual({
      time: new Date("2026-03-01T09:00:00.123Z"),
      program: "sshd",
      pid: 812,
      host: "web01",
      message: "Accepted publickey for ops",
      priority: null,
    });
  });

  it("assumes the most recent past year for a time without a year", () => {
    expect(parseLine("Mar  9 10:00:00 web01 cron: ok", context).time.getFullYear()).toBe(2026);
    expect(parseLine("Dec 31 23:59:59 web01 cron: ok", context).time.getFullYear()).toBe(2025);
  });

  it("reads local times of dpkg and alternatives", () => {
    const dpkg = parseLine("2026-02-03 04:05:06 status installed libc6:amd64 2.36-9", { ...context, program: "dpkg" });
    expect(dpkg).toMatchObject({
      time: new Date("2026-02-03T04:05:06"),
      program: "dpkg",
      message: "status installed libc6:amd64 2.36-9",
    });
    const alternatives = parseLine("update-alternatives 2026-02-03 04:05:06: link group awk updated", context);
    expect(alternatives).toMatchObject({ program: "update-alternatives", message: "link group awk updated" });
  });

  it("keeps lines of unknown format and parses a leading priority", () => {
    expect(parseLine("<11>something odd", context)).toMatchObject({
      time: context.fallbackTime,
      program: "syslog",
      message: "something odd",
      priority: 11,
    });
    expect(parseLine("2026-99-99 99:99:99 odd", context).time).toEqual(context.fallbackTime);
  });
});
