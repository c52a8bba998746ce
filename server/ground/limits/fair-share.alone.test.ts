import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { FairShare } from "./fair-share";

const LIMITS = { total: 4, perCaller: 2, waiting: 3, waitMs: 60_000 };
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Work that ends on demand, and records when it began. */
function work(begun: string[], name: string) {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    end: () => end(),
    run: () => {
      begun.push(name);
      return done;
    },
  };
}

test("a caller has so many running, and others go before what it has waiting", async () => {
  const share = new FairShare(LIMITS);
  const begun: string[] = [];
  const mine = ["a1", "a2", "a3", "a4", "a5"].map((name) => work(begun, name));
  const all = mine.map(({ run }) => share.run("a", run));
  const theirs = ["b1", "c1", "c2"].map((name) => work(begun, name));
  all.push(...theirs.map(({ run }, i) => share.run(i === 0 ? "b" : "c", run)));
  await tick();
  expect(begun).toEqual(["a1", "a2", "b1", "c1"]);
  mine[0]?.end();
  await tick();
  expect(begun.at(-1)).toBe("a3");
  mine[1]?.end();
  await tick();
  expect(begun.at(-1)).toBe("c2");
  for (const { end } of [...mine, ...theirs]) end();
  for (let i = 0; i < 10; i++) await tick();
  await Promise.all(all);
  expect(share.state).toEqual({ running: 0, callers: 0 });
});

test("a crowd of one caller runs one by one and rests while others ask, and as many as it may when no one else does", async () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const share = new FairShare({ ...LIMITS, waiting: 30 });
    const begun: string[] = [];
    const crowd = Array.from({ length: 20 }, (_, i) => work(begun, `a${i}`));
    const all = crowd.map(({ run }) => share.run("a", run));
    await share.run("b", async () => {});
    const end = async (at: number) => {
      now += 100;
      crowd[at]?.end();
      await tick();
      await tick();
    };
    // Eighteen wait: after work of 100 and 200 ms a rest of two and a quarter times as long.
    await end(0);
    await end(1);
    expect(begun).toEqual(["a0", "a1"]);
    await vi.advanceTimersByTimeAsync(225);
    expect(begun).toEqual(["a0", "a1"]);
    await vi.advanceTimersByTimeAsync(225);
    expect(begun).toEqual(["a0", "a1", "a2"]);
    now += 1_000;
    await end(2);
    expect(begun).toEqual(["a0", "a1", "a2", "a3", "a4"]);
    for (const { end: finish } of crowd) finish();
    await vi.runAllTimersAsync();
    await Promise.all(all);
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
});

test("who gives way can be said otherwise, by its key and by how many it has waiting", async () => {
  const asked: [string, number][] = [];
  const share = new FairShare(LIMITS, (key, waiting) => {
    asked.push([key, waiting]);
    return key === "a" ? 1 : 0;
  });
  const begun: string[] = [];
  const all = ["a1", "a2", "b1", "b2"].map((name) => {
    const one = work(begun, name);
    return { ...one, done: share.run(name.slice(0, 1), one.run) };
  });
  await tick();
  expect(begun).toEqual(["a1", "b1", "b2"]);
  for (const { end } of all) end();
  await Promise.all(all.map(({ done }) => done));
  expect(asked).toContainEqual(["a", 1]);
  expect(begun.at(-1)).toBe("a2");
});

test("others are there for a second after they asked, however often the caller itself asks", async () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  try {
    const share = new FairShare(LIMITS);
    await share.run("a", async () => {});
    expect([share.hasOthers("a"), share.hasOthers("b"), share.hasSeveral]).toEqual([false, true, false]);
    share.noteRequest("b");
    expect(share.hasSeveral).toBe(true);
    now = 900;
    await share.run("a", async () => {});
    await share.run("a", async () => {});
    expect(share.hasOthers("a")).toBe(true);
    now = 1_001;
    expect([share.hasOthers("a"), share.hasOthers("b"), share.hasSeveral]).toEqual([false, true, false]);
  } finally {
    vi.restoreAllMocks();
  }
});

test("what is more than may wait is refused with the time to come back, and no one else is", async () => {
  const share = new FairShare(LIMITS);
  const running = Array.from({ length: 5 }, () => work([], ""));
  const all = running.map(({ run }) => share.run("a", run));
  await expect(share.run("a", async () => 1)).rejects.toMatchObject({
    code: "rate_limited",
    extra: {
      headers: {
        "Retry-After": "5",
        "RateLimit-Limit": String(LIMITS.waiting),
        "RateLimit-Remaining": "0",
        "RateLimit-Reset": "5",
      },
    },
  });
  expect(await share.run("b", async () => 2)).toBe(2);
  for (const { end } of running) end();
  await Promise.all(all);
});

test("whoever waits for too long, or goes away, holds no place", async () => {
  const share = new FairShare({ total: 1, perCaller: 1, waiting: 3, waitMs: 30 });
  const first = work([], "");
  const running = share.run("a", first.run);
  const gone = new AbortController();
  const waiting = share.run("a", async () => 1, gone.signal);
  gone.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  await expect(share.run("a", async () => 1)).rejects.toMatchObject({ code: "rate_limited" });
  await expect(share.run("b", async () => 1)).rejects.toMatchObject({ code: "rate_limited" });
  first.end();
  await running;
  expect(share.state).toEqual({ running: 0, callers: 0 });
  expect(await share.run("b", async () => 3)).toBe(3);
});

test("many that wait under one signal are no leak, and one that is gone before it asks leaves nothing behind", async () => {
  const warned: string[] = [];
  const onWarning = ({ name }: Error) => warned.push(name);
  process.on("warning", onWarning);
  const share = new FairShare({ ...LIMITS, waiting: 20 });
  const { signal } = new AbortController();
  const works = Array.from({ length: 20 }, () => work([], ""));
  const all = works.map(({ run }) => share.run("a", run, signal));
  await tick();
  for (const { end } of works) end();
  await Promise.all(all);
  process.off("warning", onWarning);
  expect(warned).toEqual([]);
  await expect(share.run("b", async () => 1, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  expect(share.state).toEqual({ running: 0, callers: 0 });
});

test("no bound is ever passed, nothing is forgotten, and a failure gives its place free", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ caller: fc.constantFrom("a", "b", "c"), turns: fc.nat(4), fails: fc.boolean() }), {
        maxLength: 40,
      }),
      async (asked) => {
        const share = new FairShare({ ...LIMITS, waiting: 100 });
        const running = new Map<string, number>();
        let most = 0;
        const results = await Promise.allSettled(
          asked.map(({ caller, turns, fails }) =>
            share.run(caller, async () => {
              running.set(caller, (running.get(caller) ?? 0) + 1);
              most = Math.max(
                most,
                [...running.values()].reduce((a, b) => a + b, 0),
              );
              expect(running.get(caller)).toBeLessThanOrEqual(LIMITS.perCaller);
              for (let i = 0; i < turns; i++) await tick();
              running.set(caller, (running.get(caller) ?? 0) - 1);
              if (fails) throw new Error("failed");
            }),
          ),
        );
        expect(most).toBeLessThanOrEqual(LIMITS.total);
        expect(results.map(({ status }) => status === "rejected")).toEqual(asked.map(({ fails }) => fails));
        await expect.poll(() => share.state, { interval: 1 }).toEqual({ running: 0, callers: 0 });
      },
    ),
    { numRuns: 100 },
  );
});
