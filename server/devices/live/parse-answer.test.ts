import { describe, expect, it } from "vitest";
import { elapsedMs, quickest } from "@/testing/quickest";
import { parseEntries, parseEntry, parseLogs, sanitize } from "./parse-answer";

const entry = (over: object = {}) => ({ recordId: 7, timeCreated: "2026-11-20T10:00:00Z", ...over });
const complete = {
  recordId: 7,
  timeCreated: "2026-11-20T10:00:00Z",
  level: "information",
  source: "",
  eventId: 0,
  message: "",
  category: "",
  user: null,
  computer: "",
  rawXml: "",
};

describe("agent response", () => {
  it("gets null for fields that a device lacks", () => {
    expect(parseEntry(entry())).toEqual({ ok: true, value: complete });
    expect(parseEntry(entry({ user: null, rawXml: null, eventId: null }))).toEqual({ ok: true, value: complete });
    const log = {
      name: "System",
      displayName: "System",
      recordCount: 0,
      maxSize: 0,
      retentionDays: 0,
      lastWriteTime: "",
    };
    expect(parseLogs([{ name: "System", colour: "blue" }])).toEqual({ ok: true, value: [log] });
    expect(parseLogs({ logs: [{ name: "System" }] })).toEqual({ ok: true, value: [log] });
  });

  it("maps levels to one vocabulary, and unknown ones to information", () => {
    const level = (value: unknown) => {
      const parsed = parseEntry(entry({ level: value }));
      return parsed.ok && parsed.value.level;
    };
    for (const [given, wanted] of [
      ["Error", "error"],
      ["WARN", "warning"],
      ["info", "information"],
      ["Verbose", "verbose"],
      ["Audit Failure", "information"],
      [4, "information"],
      [undefined, "information"],
    ])
      expect(level(given), String(given)).toBe(wanted);
  });

  it("uses the agent's total, derives a missing one, and pages unpaged answers", () => {
    const many = Array.from({ length: 5 }, (_, n) => entry({ recordId: n }));
    const ids = (data: unknown, page: number, limit: number) => {
      const parsed = parseEntries(data, { page, limit });
      return parsed.ok && [parsed.value.entries.map((e) => e.recordId), parsed.value.total];
    };
    expect(ids({ events: many, total: 99 }, 2, 10)).toEqual([[0, 1, 2, 3, 4], 99]);
    expect(ids(many, 3, 10)).toEqual([[0, 1, 2, 3, 4], 25]);
    expect(ids(many, 2, 2)).toEqual([[2, 3], 5]);
    expect(ids({ entries: [], total: 0 }, 1, 10)).toEqual([[], 0]);
  });

  it("reports how far the agent searched if the format is known", () => {
    const searchedOf = (searched: unknown) => {
      const parsed = parseEntries({ events: [], total: 0, searched }, { page: 1, limit: 10 });
      return parsed.ok && parsed.value.searched;
    };
    for (const searched of [{ entries: 100_000 }, { bytes: 1 }, { matches: 7 }, { from: "2026-11-20T10:00:00Z" }])
      expect(searchedOf(searched)).toEqual(searched);
    expect(searchedOf({ entries: 5, colour: "blue" })).toEqual({ entries: 5 });
    for (const odd of [undefined, null, true, "all", { entries: "5" }, { entries: -1 }, { from: "yesterday" }])
      expect(searchedOf(odd), String(odd)).toBeUndefined();
    const logs = parseLogs([{ name: "syslog", recordCount: 3, searched: { bytes: 9 } }]);
    expect(logs).toMatchObject({ ok: true, value: [{ recordCount: 3, searched: { bytes: 9 } }] });
  });

  it("has a count as its total, or none", () => {
    const parse = (total: unknown) => parseEntries({ events: [entry()], total }, { page: 1, limit: 10 });
    for (const none of [undefined, null]) expect(parse(none)).toMatchObject({ ok: true, value: { total: 1 } });
    for (const total of ["12", 1.5, -1, "9007199254740993", Number.NaN, {}, true])
      expect(parse(total), String(total)).toEqual({
        ok: false,
        issues: [{ path: "data.total", message: expect.any(String) }],
      });
  });

  it("reports an invalid shape by path, without content", () => {
    for (const data of [
      undefined,
      null,
      7,
      "secret",
      {},
      { events: "secret" },
      [{ recordId: "secret" }],
      [["secret"]],
    ]) {
      const parsed = parseEntries(data, { page: 1, limit: 10 });
      expect(parsed.ok, JSON.stringify(data)).toBe(false);
      expect(JSON.stringify(parsed)).not.toContain("secret");
    }
    expect(parseLogs([{ name: "" }]).ok).toBe(false);
    expect(parseEntry([]).ok).toBe(false);
  });

  it("is rejected at its first fault, and only the requested page is read", async () => {
    const many = Array.from({ length: 500_000 }, () => ({}));
    for (const parse of [parseLogs, (data: unknown) => parseEntries(data, { page: 1, limit: 500 })]) {
      const attempt = () => elapsedMs(async () => expect(parse(many).ok).toBe(false));
      expect(await quickest(250, attempt)).toBeLessThan(250);
    }
    expect(parseLogs(Array.from({ length: 5_001 }, () => ({ name: "System" })))).toMatchObject({ ok: false });
    const odd = [...Array.from({ length: 10 }, (_, n) => entry({ recordId: n })), {}];
    expect(parseEntries(odd, { page: 1, limit: 10 })).toMatchObject({ ok: true, value: { total: 11 } });
    expect(parseEntries(odd, { page: 2, limit: 10 })).toMatchObject({
      ok: false,
      issues: [
        { path: "data.0.recordId", message: expect.any(String) },
        { path: "data.0.timeCreated", message: expect.any(String) },
      ],
    });
  });

  it("has text repaired for the database", () => {
    const parsed = parseEntry(entry({ message: "a\0b\ud800c" }));
    expect(parsed.ok && parsed.value.message).toBe("a\ufffdb\ufffdc");
  });
});

it("sanitizes an agent's message into one clean line", () => {
  expect(sanitize("access\r\n\u001b[31mdenied\u202e \0!")).toBe("access [31mdenied \ufffd!");
  expect(sanitize("x".repeat(5_000))).toHaveLength(200);
});
