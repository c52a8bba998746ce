import { expect, test } from "vitest";
import { sharedRuns } from "./background-loop";

/** Work whose runs end when the test says so. */
function controlled() {
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const run = sharedRuns(() => new Promise<void>((resolve, reject) => ends.push({ resolve, reject })));
  return { ends, run };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("calls during a run share the next run", async () => {
  const { ends, run } = controlled();
  const first = run();
  const [second, third] = [run(), run()];
  expect(third).toBe(second);
  expect(ends.length).toBe(1);
  ends[0]?.resolve();
  await first;
  await settled();
  expect(ends.length).toBe(2);
  ends[1]?.resolve();
  await second;
});

test("a failed run rejects only its own callers", async () => {
  const { ends, run } = controlled();
  const first = run();
  const second = run();
  ends[0]?.reject(new Error("disk full"));
  await expect(first).rejects.toThrow("disk full");
  await settled();
  ends[1]?.resolve();
  await second;
  const third = run();
  ends[2]?.resolve();
  await third;
});
