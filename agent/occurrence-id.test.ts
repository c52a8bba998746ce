import { describe, expect, it } from "vitest";
import { fileOccurrence, journaldOccurrence, unifiedLogOccurrence, windowsOccurrence } from "./occurrence-id";

const cursor = (boot: string, sequence: string, rest = "m=1;t=2;x=3") => `s=0a;i=${sequence};b=${boot};${rest}`;

describe("journald", () => {
  it("depends only on boot ID and sequence number", () => {
    expect(journaldOccurrence(cursor("b1", "7"))).toBe(journaldOccurrence(cursor("b1", "7", "m=9;t=9;x=9")));
    expect(journaldOccurrence(cursor("b1", "7"))).not.toBe(journaldOccurrence(cursor("b1", "8")));
    expect(journaldOccurrence(cursor("b1", "7"))).not.toBe(journaldOccurrence(cursor("b2", "7")));
    expect(journaldOccurrence(cursor("b1", "7"))).toHaveLength(64);
  });

  it("distinguishes cursors of unknown format", () => {
    expect(journaldOccurrence("one")).not.toBe(journaldOccurrence("two"));
  });
});

describe("other sources", () => {
  it("identifies a line by inode, generation and offset", () => {
    expect(fileOccurrence({ inode: "12", generation: "ab", offset: 340 })).toBe("12-ab-340");
  });

  it("distinguishes Windows events with equal record IDs before and after clearing the log", () => {
    const before = windowsOccurrence("Security", "42", "2026-01-01T00:00:00Z");
    expect(before).toBe("Security:42:2026-01-01T00:00:00Z");
    expect(windowsOccurrence("Security", "42", "2026-02-01T00:00:00Z")).not.toBe(before);
  });

  it("fits 100 characters for any channel name", () => {
    const long = (time: string) => windowsOccurrence("x".repeat(300), "18446744073709551615", time);
    expect(long("2026-01-01T00:00:00Z").length).toBeLessThanOrEqual(100);
    expect(long("2026-01-01T00:00:00Z")).not.toBe(long("2026-01-02T00:00:00Z"));
    expect(unifiedLogOccurrence({ time: "t", pid: 1, thread: 2, message: "m" })).toHaveLength(64);
  });
});
