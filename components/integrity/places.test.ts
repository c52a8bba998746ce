import { expect, it } from "vitest";
import { MAX_BREAKS } from "@/server/evidence/chain/verifier";
import { placesText } from "./breaks";

const places = (n: number) => placesText(Array.from({ length: n }));

it("counts breaks, without a number when the list is full", () => {
  expect(places(1)).toBe("1 place");
  expect(places(MAX_BREAKS - 1)).toBe("99 places");
  expect(places(MAX_BREAKS)).toBe("at least 100 places, of which the first 100 are listed");
});
