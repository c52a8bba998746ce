import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { BundleStream, CLIENT_TIMEOUT_MS } from "./stream";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream whose client has taken nothing of what it holds at most. */
function fullStream(): BundleStream {
  const stream = new BundleStream();
  stream.out.on("error", () => {});
  stream.write("x".repeat(300_000));
  return stream;
}

it("ends a download when the client stops reading", async () => {
  const stream = fullStream();
  const ready = stream.ready();
  await vi.advanceTimersByTimeAsync(CLIENT_TIMEOUT_MS - 1_000);
  expect(stream.out.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stream.out.errored?.message).toBe("the client takes nothing any more");
  await ready;
});

it("keeps waiting for a slow client that still reads", async () => {
  const stream = fullStream();
  for (let piece = 0; piece < 5; piece++) {
    const ready = stream.ready();
    await vi.advanceTimersByTimeAsync(CLIENT_TIMEOUT_MS - 1_000);
    while (stream.out.read() !== null);
    await ready;
    stream.write("x".repeat(300_000));
  }
  expect(stream.out.destroyed).toBe(false);
});
