import { expect, it } from "vitest";
import { proofText } from "@/testing/proofs/entry-proof";
import { fromFragment, isProofFragment, toFragment } from "./proof-link";

const MAX_FRAGMENT = 2_600;

it("carries a proof in a fragment of mailable length and gives it back as it was", async () => {
  const text = proofText({ seq: 37, size: 40 });
  const fragment = await toFragment(text);
  expect(fragment).toMatch(/^#p=[\w-]+$/);
  expect(fragment.length).toBeLessThan(MAX_FRAGMENT);
  expect(await fromFragment(fragment)).toBe(text);
});

it("gives nothing for a fragment that is torn, of something else, or a bomb", async () => {
  const fragment = await toFragment(proofText());
  const bomb = await toFragment("A".repeat(8 * 1024 * 1024));
  for (const wrong of ["", "#", "#p=", "#q=AAAA", "#p=!!", fragment.slice(0, -40), bomb, "#p=-_8PAA"])
    expect(await fromFragment(wrong), wrong.slice(0, 60)).toBeNull();
  expect(["#p=x", "#x", ""].map(isProofFragment)).toEqual([true, false, false]);
});
