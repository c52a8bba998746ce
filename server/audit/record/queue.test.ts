import fc from "fast-check";
import { expect, test } from "vitest";
import { anyRow } from "@/testing/audit-entries";
import { Queue, type QueuedEvent } from "./batch-writer";

const event = (id: string, bytes: number): QueuedEvent => ({
  row: anyRow({ id, orgId: "org" }),
  bytes,
  acceptedAt: 0,
  segment: null,
  write: null,
});
const idsOf = (events: QueuedEvent[]) => events.map(({ row }) => row.id);

test("returns events in order within both limits", () => {
  const queue = new Queue();
  for (const [i, bytes] of [10, 20, 30, 40].entries()) queue.push(event(`${i}`, bytes));
  expect(idsOf(queue.dequeue(2, 1000))).toEqual(["0", "1"]);
  expect(idsOf(queue.dequeue(10, 69))).toEqual(["2"]);
  expect([queue.length, queue.bytes]).toEqual([1, 40]);
});

test("returns a single event that exceeds the limit", () => {
  const queue = new Queue();
  queue.push(event("large", 1000));
  expect(idsOf(queue.dequeue(10, 1))).toEqual(["large"]);
  expect(queue.dequeue(10, 1)).toEqual([]);
});

test("the queue is full at 20,000 events or 32 MiB", () => {
  const queue = new Queue();
  expect(queue.hasRoomFor(20_000, 1)).toBe(true);
  expect(queue.hasRoomFor(20_001, 1)).toBe(false);
  queue.push(event("large", 32 * 1024 * 1024));
  expect(queue.hasRoomFor(1, 1)).toBe(false);
  queue.clear();
  expect(queue.hasRoomFor(1, 1)).toBe(true);
});

test("keeps every event in order for any sequence of pushes and batches", () => {
  const steps = fc.array(
    fc.oneof(fc.record({ push: fc.integer({ min: 1, max: 3_000 }) }), fc.record({ take: fc.nat(500) })),
  );
  fc.assert(
    fc.property(steps, (sequence) => {
      const queue = new Queue();
      const [pushed, taken]: [string[], string[]] = [[], []];
      for (const step of sequence) {
        if ("take" in step) taken.push(...idsOf(queue.dequeue(step.take, Number.POSITIVE_INFINITY)));
        else
          for (let i = 0; i < step.push; i++) {
            pushed.push(`${pushed.length}`);
            queue.push(event(`${pushed.length - 1}`, 2));
          }
        expect(queue.length).toBe(pushed.length - taken.length);
        expect(queue.bytes).toBe(2 * queue.length);
      }
      expect(taken).toEqual(pushed.slice(0, taken.length));
    }),
    { numRuns: 30 },
  );
});
