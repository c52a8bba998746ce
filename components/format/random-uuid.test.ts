import { expect, it } from "vitest";
import { randomUuid } from "./random-uuid";

it("is another one each time, of version 4 and the variant of RFC 9562", () => {
  const made = Array.from({ length: 1_000 }, randomUuid);
  expect(new Set(made).size).toBe(made.length);
  for (const one of made) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
