import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { FromThread } from "./import-thread";
import { readFiles } from "./read-files";

/** A process that says what the test says, when it says so. */
class Thread extends EventEmitter {
  kill = vi.fn();
  send = vi.fn();
  say(message: FromThread) {
    this.emit("message", message);
  }
}
let thread: Thread;
vi.mock("@/server/ground/background/threads", () => ({ startProcess: () => thread }));

const task = { kind: "preview", source: "automate", path: "rack.csv", format: null } as const;
const answer = { columns: [], samples: [] } as never;
let reading: Promise<unknown>;

beforeEach(() => {
  vi.useFakeTimers();
  thread = new Thread();
  reading = readFiles(task).catch((error: unknown) => error);
});
afterEach(() => vi.useRealTimers());

it("excludes thread startup from a file's time limit", async () => {
  await vi.advanceTimersByTimeAsync(55_000);
  thread.say({ kind: "begun" });
  await vi.advanceTimersByTimeAsync(15_000);
  thread.say({ kind: "done", answer });
  expect(await reading).toBe(answer);
});

it("rejects a file that takes too long and names the file as the cause", async () => {
  thread.say({ kind: "begun" });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await reading).toMatchObject({ code: "payload_too_large" });
  expect(thread.kill).toHaveBeenCalledOnce();
});

it("reports a busy server when the thread does not start", async () => {
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await reading).toMatchObject({ code: "unavailable" });
  expect(thread.kill).toHaveBeenCalledOnce();
});

it.each(["SIGABRT", "SIGKILL"])(
  "rejects a file as too large for memory when its process ends with %s",
  async (signal) => {
    thread.emit("exit", null, signal);
    expect(await reading).toMatchObject({
      code: "payload_too_large",
      message: expect.stringMatching(/too much memory/),
    });
  },
);

it("reports any other process exit as a server error", async () => {
  thread.emit("exit", null, "SIGTERM");
  expect(await reading).toEqual(new Error("the reading process ended without an answer"));
});
