import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { elapsedMs, quickest } from "@/testing/quickest";
import { tempFolder } from "@/testing/temp-folder";
import { PendingWrite, PendingWrites, WRITE_TIMES } from "./pending-write";
import { Segment } from "./segment";

const dir = tempFolder();

/** A spool under the test's control, and how often it was flushed. */
function spool({ isBehind = false, canFlush = true } = {}) {
  const calls = { flushes: 0 };
  const flush = async () => {
    calls.flushes++;
    return canFlush;
  };
  return { calls, writes: new PendingWrites({ isBehind: () => isBehind, keep: () => {}, flush }) };
}
const spooled = (events = 1) => {
  const write = new PendingWrite(events);
  write.segment = Segment.create(join(dir, `${Math.random()}`), false);
  return write;
};

test("a write is durable once its last event is committed", async () => {
  const write = new PendingWrite(2);
  write.committed();
  expect(write.isDone).toBe(false);
  write.committed();
  write.giveBack();
  await write.durable;
});

test("a rejected event fails the whole write, even when the others are committed", async () => {
  const write = new PendingWrite(2);
  write.reject(new Error("refused"));
  write.committed();
  await expect(write.durable).rejects.toThrow("refused");
});

test("a request's events are returned to the caller together or not at all", async () => {
  const [whole, mixed, begun, kept] = [
    new PendingWrite(2),
    new PendingWrite(2, false),
    new PendingWrite(2),
    new PendingWrite(2),
  ];
  begun.committed();
  kept.reject(new Error("kept"));
  kept.giveBack();
  expect([whole, mixed, begun, kept].map((write) => write.canBeGivenBack)).toEqual([true, false, false, false]);
  whole.giveBack();
  expect(whole.canBeGivenBack).toBe(true);
  await expect(whole.durable).rejects.toMatchObject({ code: "unavailable" });
  await expect(kept.durable).rejects.toThrow("kept");
});

test("a flush answers a late commit, shared by all waiting callers", async () => {
  const { calls, writes } = spool();
  const began = Date.now();
  // Come at the same moment: a machine that pauses between the two would answer them by two flushes.
  const waiting = [spooled(), spooled()].map((write) => Object.assign(write, { since: began }));
  for (const write of waiting) writes.add(write);
  await Promise.all(waiting.map((write) => write.durable));
  expect(Date.now() - began).toBeGreaterThanOrEqual(200);
  expect(calls.flushes).toBe(1);
});

test("a flush answers immediately while the database is behind", async () => {
  const attempt = () => {
    const { writes } = spool({ isBehind: true });
    const write = spooled();
    return elapsedMs(() => {
      writes.add(write);
      return write.durable;
    });
  };
  expect(await quickest(200, attempt)).toBeLessThan(200);
});

test("a write fails as unavailable when the flush fails or nothing is spooled", async () => {
  const waiting = [spooled(), new PendingWrite(1)];
  const { writes } = spool({ isBehind: true, canFlush: false });
  for (const write of waiting) writes.add(write);
  for (const write of waiting) await expect(write.durable).rejects.toMatchObject({ code: "unavailable" });
});

test("a stuck flush does not block callers and is not started again", async () => {
  let begun = 0;
  let end = (_: boolean) => {};
  const flush = () => {
    begun++;
    return new Promise<boolean>((resolve) => {
      end = resolve;
    });
  };
  const writes = new PendingWrites({ isBehind: () => true, keep: () => {}, flush });
  const began = Date.now();
  const waiting = [spooled(), new PendingWrite(1), spooled()];
  for (const write of waiting) writes.add(write);
  const answers = waiting.map(async ({ durable }) => {
    await expect(durable).rejects.toMatchObject({ code: "unavailable" });
    return Date.now() - began;
  });
  await sleep(1_000);
  expect(begun).toBe(1);
  expect(Math.min(...(await Promise.all(answers)))).toBeGreaterThanOrEqual(WRITE_TIMES.giveUp);
  end(true);
});

test("the final sweep settles every waiting caller", async () => {
  const { writes } = spool();
  const [kept, lost] = [spooled(), new PendingWrite(1)];
  writes.add(kept);
  writes.add(lost);
  const answers = Promise.allSettled([kept.durable, lost.durable]);
  await writes.end();
  expect((await answers).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  await writes.sweep();
});
