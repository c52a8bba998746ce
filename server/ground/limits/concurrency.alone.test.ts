import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { Actor } from "@/server/ground/context";
import { acquireSlot, CallerConcurrency, Concurrency, inCallerLimit, inSlot } from "./concurrency";

const QUEUE = { max: 3, ms: 60_000 };
const tick = () => new Promise((resolve) => setImmediate(resolve));
const agent = (id: string): Actor => ({ type: "agent", id, deviceId: id, hostname: "ws-1" });

/** Work that ends on demand, and records when it began. */
function work(begun: string[] = [], name = "") {
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

test("runs two requests per caller at a time in order, without delaying others", async () => {
  const limit = new CallerConcurrency(2, QUEUE);
  const begun: string[] = [];
  const works = ["a1", "a2", "a3", "a4", "b1"].map((name) => work(begun, name));
  const all = works.map(({ run }, at) => limit.run(at < 4 ? "a" : "b", run));
  await tick();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  expect(limit.figures).toEqual({ running: 3, waiting: 2, refused: 0 });
  works[1]?.end();
  await tick();
  expect(begun.at(-1)).toBe("a3");
  for (const { end } of works) end();
  await Promise.all(all);
  expect(limit.figures).toEqual({ running: 0, waiting: 0, refused: 0 });
});

test("rejects requests beyond the queue with Retry-After, for that caller only", async () => {
  const limit = new CallerConcurrency(2, QUEUE);
  const works = Array.from({ length: 5 }, () => work());
  const all = works.map(({ run }) => limit.run("a", run));
  const headers = {
    "Retry-After": "5",
    "RateLimit-Limit": String(QUEUE.max),
    "RateLimit-Remaining": "0",
    "RateLimit-Reset": "5",
  };
  await expect(limit.run("a", async () => 1)).rejects.toMatchObject({ code: "rate_limited", extra: { headers } });
  expect(limit.figures.refused).toBe(1);
  expect(await limit.run("b", async () => 2)).toBe(2);
  for (const { end } of works) end();
  await Promise.all(all);
});

test("an aborted or timed-out request frees its place", async () => {
  const limit = new Concurrency(1, { max: 3, ms: 30 });
  const first = work();
  const running = limit.run(first.run);
  const gone = new AbortController();
  const waiting = limit.run(async () => 1, gone.signal);
  gone.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  await expect(limit.run(async () => 1, gone.signal)).rejects.toThrow("gone");
  await expect(limit.run(async () => 1)).rejects.toMatchObject({ code: "rate_limited" });
  expect(limit.waiting).toBe(0);
  first.end();
  await running;
  await expect(limit.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await limit.run(async () => "next")).toBe("next");
  expect(limit.running).toBe(0);
});

test("many requests waiting on one signal cause no warning", async () => {
  const warned: string[] = [];
  const onWarning = ({ name }: Error) => warned.push(name);
  process.on("warning", onWarning);
  const limit = new Concurrency(1);
  const { signal } = new AbortController();
  const works = Array.from({ length: 20 }, () => work());
  const all = works.map(({ run }) => limit.run(run, signal));
  await tick();
  for (const { end } of works) end();
  await Promise.all(all);
  process.off("warning", onWarning);
  expect(warned).toEqual([]);
});

test("keeps each caller within the limit, loses nothing, and frees failed slots", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ caller: fc.constantFrom("a", "b", "c"), turns: fc.nat(4), fails: fc.boolean() }), {
        maxLength: 40,
      }),
      async (asked) => {
        const limit = new CallerConcurrency(2, { max: 100, ms: 60_000 });
        const running = new Map<string, number>();
        const results = await Promise.allSettled(
          asked.map(({ caller, turns, fails }) =>
            limit.run(caller, async () => {
              running.set(caller, (running.get(caller) ?? 0) + 1);
              expect(running.get(caller)).toBeLessThanOrEqual(2);
              for (let i = 0; i < turns; i++) await tick();
              running.set(caller, (running.get(caller) ?? 0) - 1);
              if (fails) throw new Error("failed");
            }),
          ),
        );
        expect(results.map(({ status }) => status === "rejected")).toEqual(asked.map(({ fails }) => fails));
        expect(limit.figures).toEqual({ running: 0, waiting: 0, refused: 0 });
      },
    ),
    { numRuns: 100 },
  );
});

test("rejects a caller's slots over the limit until one is released", () => {
  const acquire = (id: string, kind = "exports") => acquireSlot(agent(id), { kind, max: 4, advice: "Wait." });
  const releases = Array.from({ length: 4 }, () => acquire("a"));
  expect(() => acquire("a")).toThrow("4 exports running");
  acquire("b")();
  acquire("a", "live views")();
  releases[0]?.();
  releases[0]?.(); // A slot is released once, however often it is said.
  acquire("a");
  expect(() => acquire("a")).toThrow("4 exports running");
});

test("work keeps its slot until done and frees it on failure", async () => {
  const slots = { kind: "bundles", max: 1, advice: "Wait." };
  const begin = <T>(work: (release: () => void) => Promise<T>) => inSlot(agent("c"), slots, work);
  await expect(begin(() => Promise.reject(new Error("no rows")))).rejects.toThrow("no rows");
  const release = await begin(async (done) => done);
  const work = vi.fn(async () => {});
  await expect(begin(work)).rejects.toThrow("1 bundles running");
  expect(work).not.toHaveBeenCalled();
  release();
  await begin(work);
  expect(work).toHaveBeenCalledOnce();
});

test("agents skip the queue, and a user's abort signal ends the wait", async () => {
  const signal = AbortSignal.abort(new Error("gone"));
  const made = vi.fn(() => signal);
  const caller = (actor: Actor) => ({
    actor,
    get signal() {
      return made();
    },
  });
  expect(await inCallerLimit(caller(agent("d")), async () => "stored")).toBe("stored");
  expect(made).not.toHaveBeenCalled();
  const person: Actor = { type: "user", id: "u", email: "u@a.example", name: "U", role: "org_viewer" };
  await expect(inCallerLimit(caller(person), async () => "read")).rejects.toThrow("gone");
});
