import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type BackgroundLoop, backgroundLoop } from "./background-loop";

const HOUR_MS = 3_600_000;

describe("background loop", () => {
  let loop: BackgroundLoop;
  afterEach(() => loop.stop());

  it("runs its step at the start and after each interval", async () => {
    let runs = 0;
    loop = backgroundLoop("test", 5, async () => void runs++);
    loop.start();
    loop.start();
    await expect.poll(() => runs).toBeGreaterThan(2);
    await loop.stop();
    const before = runs;
    await sleep(20);
    expect(runs).toBe(before);
  });

  it("runs immediately when notified and once more after the current run, never concurrently", async () => {
    let runs = 0;
    let atOnce = 0;
    let most = 0;
    loop = backgroundLoop("test", HOUR_MS, async () => {
      most = Math.max(most, ++atOnce);
      runs++;
      await sleep(20);
      atOnce--;
    });
    loop.start();
    await expect.poll(() => atOnce, { interval: 1 }).toBe(1);
    loop.notify();
    loop.notify();
    await expect.poll(() => runs).toBe(2);
    await sleep(60);
    loop.notify();
    await expect.poll(() => runs).toBe(3);
    expect(most).toBe(1);
  });

  it("continues after a failed step", async () => {
    let runs = 0;
    loop = backgroundLoop("test", 1, async () => {
      if (++runs < 3) throw new Error("away");
    });
    loop.start();
    await expect.poll(() => runs).toBeGreaterThan(3);
  });

  it("aborts the running step on stop, waits for it and can restart", async () => {
    const ended: string[] = [];
    let runs = 0;
    loop = backgroundLoop("test", HOUR_MS, async (stopping) => {
      runs++;
      await sleep(HOUR_MS, undefined, { signal: stopping }).catch(() => {});
      await sleep(10);
      ended.push(`run ${runs}`);
    });
    loop.start();
    await expect.poll(() => runs, { interval: 1 }).toBe(1);
    await loop.stop();
    expect(ended).toEqual(["run 1"]);
    loop.start();
    await expect.poll(() => runs).toBe(2);
  });
});
