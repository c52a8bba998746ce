import { afterEach, expect, it, vi } from "vitest";
import { CALLER_CHECK_MS, revocable } from "./revocable";
import { callerChanges, callersChanged } from "./streams";

afterEach(() => void vi.useRealTimers());

/** An endless answer, and its state. */
function endless() {
  const state = { cancelled: false, asked: 0, may: true };
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("row")),
    cancel: () => {
      state.cancelled = true;
    },
  });
  const isStillAllowed = async () => {
    state.asked++;
    return state.may;
  };
  const open = (since = callerChanges()) => revocable(new Response(source, { status: 206 }), { since, isStillAllowed });
  return { state, open };
}

it("a revocable response stops when access is revoked, even while nobody reads", async () => {
  const { state, open } = endless();
  const response = open();
  expect(response.status).toBe(206);
  const reader = response.body?.getReader();
  await reader?.read();
  callersChanged();
  await expect.poll(() => state.asked).toBe(1);
  expect(await reader?.read()).toMatchObject({ done: false });
  state.may = false;
  callersChanged();
  await expect.poll(() => state.cancelled).toBe(true);
  await expect(reader?.read()).rejects.toThrow("access has ended");
  callersChanged();
  expect(state.asked).toBe(2);
});

it("checks access immediately if it changed since the request was accepted", async () => {
  const { state, open } = endless();
  state.may = false;
  open(callerChanges() - 1);
  await expect.poll(() => state.cancelled).toBe(true);
});

it("checks access periodically when no change notice arrives", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { state, open } = endless();
  const reader = open().body?.getReader();
  vi.advanceTimersByTime(CALLER_CHECK_MS);
  await expect.poll(() => state.asked).toBe(1);
  expect(await reader?.read()).toMatchObject({ done: false });
  state.may = false;
  vi.advanceTimersByTime(CALLER_CHECK_MS);
  await expect.poll(() => state.cancelled).toBe(true);
  await expect(reader?.read()).rejects.toThrow("access has ended");
  vi.advanceTimersByTime(CALLER_CHECK_MS);
  expect(state.asked).toBe(2);
});

it("stops checking once the response ends or its reader leaves", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { state, open } = endless();
  await open().body?.cancel();
  expect(state.cancelled).toBe(true);
  const isStillAllowed = async () => {
    state.asked++;
    return true;
  };
  expect(await revocable(new Response("whole"), { since: callerChanges(), isStillAllowed }).text()).toBe("whole");
  callersChanged();
  vi.advanceTimersByTime(CALLER_CHECK_MS);
  expect(state.asked).toBe(0);
});
