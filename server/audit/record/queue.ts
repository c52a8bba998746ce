import type { AuditInsert } from "@/server/audit/row";
import type { PendingWrite } from "./pending-write";
import type { Segment } from "./segment";

/** An event on its way to the database: its size, where it is spooled (null: in memory alone) and who waits for it. */
export type QueuedEvent = { row: AuditInsert; bytes: number; segment: Segment | null; write: PendingWrite | null };

/** What may wait in memory; beyond it events are on disk alone until the queue is empty. */
const MAX_QUEUED_EVENTS = 20_000;
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
/** Dequeued places are given back once there are so many: moving the rest down each time would be quadratic. */
const COMPACT_FROM = 4096;

/** Events that wait in memory, oldest first. */
export class Queue {
  #events: QueuedEvent[] = [];
  #head = 0;
  #bytes = 0;

  get length(): number {
    return this.#events.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  hasRoomFor(count: number, bytes: number): boolean {
    return this.length + count <= MAX_QUEUED_EVENTS && this.#bytes + bytes <= MAX_QUEUED_BYTES;
  }

  push(event: QueuedEvent): void {
    this.#bytes += event.bytes;
    this.#events.push(event);
  }

  /** The oldest events within both limits, but at least one where there is one. */
  dequeue(maxEvents: number, maxBytes: number): QueuedEvent[] {
    const batch: QueuedEvent[] = [];
    let bytes = 0;
    for (const event of this.#events.slice(this.#head, this.#head + maxEvents)) {
      if (batch.length > 0 && bytes + event.bytes > maxBytes) break;
      bytes += event.bytes;
      batch.push(event);
    }
    this.#head += batch.length;
    this.#bytes -= bytes;
    if (this.#head > COMPACT_FROM || this.length === 0) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
    return batch;
  }

  clear(): void {
    this.#events = [];
    this.#head = 0;
    this.#bytes = 0;
  }
}
