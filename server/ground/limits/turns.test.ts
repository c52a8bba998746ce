import { expect, test } from "vitest";
import { Turns } from "./turns";

/** Work that ends on demand. */
function work() {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, run: () => done };
}

test("so many run at a time, the others in the order in which they came", async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const works = Array.from({ length: 4 }, work);
  const all = works.map(({ run }, i) =>
    turns.run(() => {
      begun.push(i);
      return run();
    }),
  );
  await Promise.resolve();
  expect([begun, turns.running, turns.waiting]).toEqual([[0, 1], 2, 2]);
  works[1]?.end();
  await all[1];
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  for (const { end } of works) end();
  await Promise.all(all);
  expect([begun, turns.running, turns.waiting]).toEqual([[0, 1, 2, 3], 0, 0]);
});

test("who gives up the wait holds no place, and a failure gives its own free", async () => {
  const turns = new Turns(1);
  const first = work();
  const running = turns.run(first.run);
  const gone = new AbortController();
  const waiting = turns.run(async () => "never", gone.signal);
  gone.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  expect(turns.waiting).toBe(0);
  first.end();
  await running;
  await expect(turns.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await turns.run(async () => "next")).toBe("next");
});
