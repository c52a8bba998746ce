import { MessageChannel } from "node:worker_threads";
import { expect, it } from "vitest";
import { inTime } from "./lookup";

const SILENCE_MS = 20;

/** Nothing of this process runs for so long, as on a machine without a free processor. */
const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it("accepts an answer that arrived while the process was suspended", async () => {
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => port1.once("message", resolve));
  port2.postMessage("there");
  const read = inTime(answer, SILENCE_MS);
  standStill(5 * SILENCE_MS);
  expect(await read).toBe("there");
  port1.close();
});

it("reports the database as down when there is no answer", async () => {
  await expect(inTime(new Promise(() => {}), SILENCE_MS)).rejects.toMatchObject({ code: "ETIMEDOUT" });
});

it("a queued read waits while others are answered, within a limit", async () => {
  let spoke = 0;
  const waiting = inTime(new Promise(() => {}), 10 * SILENCE_MS).catch(() => performance.now());
  const turn = new Promise((resolve) => {
    setTimeout(() => {
      spoke = performance.now();
      resolve("its turn");
    }, 15 * SILENCE_MS);
  });
  const crowded = inTime(turn, 10 * SILENCE_MS);
  setTimeout(() => inTime(Promise.resolve()), 8 * SILENCE_MS);
  expect(await crowded).toBe("its turn");
  // Silence since that answer, not since the read was asked.
  expect(await waiting).toBeGreaterThanOrEqual(spoke + 9 * SILENCE_MS);
});
