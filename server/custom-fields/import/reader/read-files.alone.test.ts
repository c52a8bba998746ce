import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { FromThread } from "./messages";
import { readFiles } from "./read-files";

/** A thread that says what the test says, when it says so. */
class Thread extends EventEmitter {
  terminate = vi.fn(async () => 0);
  postMessage = vi.fn();
  say(message: FromThread) {
    this.emit("message", message);
  }
}
let thread: Thread;
vi.mock("@/server/ground/background/threads", () => ({ startThread: () => thread, isOutOfMemory: () => false }));

const task = { kind: "preview", source: "automate", path: "rack.csv", format: null } as const;
const answer = { columns: [], samples: [] } as never;
let reading: Promise<unknown>;

beforeEach(() => {
  vi.useFakeTimers();
  thread = new Thread();
  reading = readFiles(task).catch((error: unknown) => error);
});
afterEach(() => vi.useRealTimers());

it("does not count against a file how long its thread takes to start", async () => {
  await vi.advanceTimersByTimeAsync(55_000);
  thread.say({ kind: "begun" });
  await vi.advanceTimersByTimeAsync(15_000);
  thread.say({ kind: "done", answer });
  expect(await reading).toBe(answer);
});

it("refuses a file that takes too long, and says that it is the file", async () => {
  thread.say({ kind: "begun" });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await reading).toMatchObject({ code: "payload_too_large" });
  expect(thread.terminate).toHaveBeenCalledOnce();
});

it("says that the server is busy where the thread does not start", async () => {
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await reading).toMatchObject({ code: "unavailable" });
  expect(thread.terminate).toHaveBeenCalledOnce();
});
