import { describe, expect, it } from "vitest";
import { Diagnostics } from "./diagnostics";

describe("Diagnostics", () => {
  it("prints entries and keeps them until acknowledged", () => {
    const printed: string[] = [];
    const diagnostics = new Diagnostics((line) => printed.push(line));
    diagnostics.warn("ws", "late", { ms: 5 });
    expect(printed[0]).toContain("warn ws: late");
    const entries = diagnostics.peek(10);
    expect(entries).toMatchObject([{ level: "warn", component: "ws", message: "late", fields: { ms: 5 } }]);
    expect(diagnostics.size).toBe(1);
    diagnostics.forget(entries);
    expect(diagnostics.size).toBe(0);
  });

  it("drops the oldest beyond its limit and records how many", () => {
    const diagnostics = new Diagnostics(() => {}, 3);
    for (let i = 0; i < 10; i++) diagnostics.info("test", String(i));
    const entries = diagnostics.peek(10);
    expect(entries.map((e) => e.message).slice(1)).toEqual(["8", "9"]);
    expect(entries[0]).toMatchObject({ level: "warn", fields: { dropped: 8 } });
  });
});
