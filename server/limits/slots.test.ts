import { expect, test } from "vitest";
import type { Actor } from "@/server/context";
import { acquireSlot } from "./slots";

const agent = (id: string): Actor => ({ type: "agent", id, deviceId: id, hostname: "ws-1" });
const acquire = (id: string, kind = "exports") => acquireSlot(agent(id), { kind, max: 4, advice: "Wait." });

test("a caller's slots beyond the limit are refused until one is released; others are not affected", () => {
  const releases = Array.from({ length: 4 }, () => acquire("a"));
  expect(() => acquire("a")).toThrow("4 exports running");
  acquire("b")();
  acquire("a", "live views")();
  releases[0]?.();
  releases[0]?.(); // A slot is released once, however often it is said.
  acquire("a");
  expect(() => acquire("a")).toThrow("4 exports running");
});
