import { describe, expect, it } from "vitest";
import { event } from "@/server/devices/logs/event-log-schema";
import { type LogRecord, toWireEvent } from "./provider";

const record: LogRecord = {
  logName: "journal",
  recordId: 1,
  occurrenceId: "o1",
  time: new Date("2026-05-01T10:00:00Z"),
  level: "verbose",
  category: "system",
  source: "sshd",
  message: "hello",
  computer: "web01",
  user: "0",
  details: { pid: 7 },
};

describe("toWireEvent", () => {
  it("maps every field of a stored event", () => {
    expect(toWireEvent(record)).toEqual({
      timestamp: "2026-05-01T10:00:00.000Z",
      level: "info",
      category: "system",
      source: "sshd",
      eventId: "o1",
      message: "hello",
      details: { log: "journal", computer: "web01", user: "0", pid: 7 },
    });
  });

  it("fits the server's limits for any log content", () => {
    for (const odd of [
      { source: "", message: "" },
      { source: "😀".repeat(300), message: "x".repeat(100_000) },
      { computer: null, user: null, details: {} },
    ])
      expect(event.safeParse(toWireEvent({ ...record, ...odd })).success).toBe(true);
  });
});
