import { expect, it } from "vitest";
import { randomUuid } from "./random-uuid";

it("creates a new version 4 UUID each time", () => {
  const made = Array.from({ length: 1_000 }, randomUuid);
  expect(new Set(made).size).toBe(made.length);
  for (const one of made) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
