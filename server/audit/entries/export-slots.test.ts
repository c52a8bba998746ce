import { expect, test } from "vitest";
import type { Ctx } from "@/server/context";
import { beginExport, MAX_EXPORTS_AT_ONCE } from "./export-slots";

const callerOf = (id: string) => ({ actor: { type: "user", id } }) as unknown as Ctx;

test("a caller's exports beyond the limit are refused until one has ended; others go on", () => {
  const ends = Array.from({ length: MAX_EXPORTS_AT_ONCE }, () => beginExport(callerOf("a")));
  expect(() => beginExport(callerOf("a"))).toThrow("under way");
  beginExport(callerOf("b"))();
  ends[0]?.();
  ends[0]?.(); // told twice, it counts once
  beginExport(callerOf("a"));
  expect(() => beginExport(callerOf("a"))).toThrow("under way");
});
