import { expect, it } from "vitest";
import { proofText } from "@/testing/proofs/entry-proof";
import { fromFragment, isProofFragment, toFragment } from "./proof-link";

const MAX_FRAGMENT = 2_600;

it("round-trips a proof through a fragment short enough to mail", async () => {
  const text = proofText({ seq: 37, size: 40 });
  const fragment = await toFragment(text);
  expect(fragment).toMatch(/^#p=[\w-]+$/);
  expect(fragment.length).toBeLessThan(MAX_FRAGMENT);
  expect(await fromFragment(fragment)).toBe(text);
});

it("returns null for a truncated fragment, another one, or a compression bomb", async () => {
  const fragment = await toFragment(proofText());
  const bomb = await toFragment("A".repeat(8 * 1024 * 1024));
  for (const wrong of ["", "#", "#p=", "#q=AAAA", "#p=!!", fragment.slice(0, -40), bomb, "#p=-_8PAA"])
    expect(await fromFragment(wrong), wrong.slice(0, 60)).toBeNull();
  expect(["#p=x", "#x", ""].map(isProofFragment)).toEqual([true, false, false]);
});
