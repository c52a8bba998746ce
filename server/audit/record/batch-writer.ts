import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, messageOf } from "@/db/thrown";
import type { AuditInsert } from "@/server/audit/row";
import { Signal } from "@/server/ground/background/streams";
import { log } from "@/server/ground/log";
import { groupBy } from "@/server/ground/records";
import type { WriterConnection } from "./append";
import type { PendingWrite } from "./pending-write";
import type { Segment } from "./segment";

/**
 * An event on its way to the database: its size, time of acceptance (ms), spool segment (null: only in memory) and the
 * waiting write.
 */
export type QueuedEvent = {
  row: AuditInsert;
  bytes: number;
  acceptedAt: number;
  segment: Segment | null;
  write: PendingWrite | null;
};

/** Approximate memory of an event in bytes. */
export const sizeOf = ({ details }: AuditInsert): number => (details?.length ?? 0) + 512;

/** Limit of events in memory; beyond it events are only on disk until the queue is empty. */
const MAX_QUEUED_EVENTS = 20_000;
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
/** Frees dequeued slots in bulk: shifting the array each time would be quadratic. */
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

  /** Oldest events within both limits, but at least one if any. */
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

/** Backlogs below this are written within moments. */
const MUCH = 50_000;
const SAMPLE_MS = 1_000;

/** Detects a growing backlog: large, and not smaller than a second ago. */
export class Growth {
  #last = { waiting: 0, at: Number.NEGATIVE_INFINITY };
  #isGrowing = false;

  isGrowing(waiting: number, now = Date.now()): boolean {
    if (waiting < MUCH || now - this.#last.at >= SAMPLE_MS) {
      this.#isGrowing = waiting >= MUCH && waiting >= this.#last.waiting;
      this.#last = { waiting, at: now };
    }
    return this.#isGrowing;
  }
}

export const MAX_BATCH_ROWS = 500;
export const MAX_BATCH_BYTES = 2 * 1024 * 1024;
/** A slower statement is on a dead connection; repeating it on a new one is harmless. */
const APPEND_TIMEOUT_MS = 30_000;
const MAX_BACKOFF_MS = 1_000;
const LOG_EVERY_MS = 10_000;

/** Reason that nothing is written now: error code ("" if none), text, and duration in ms. */
export type WriteFault = { code: string; message: string; ms: number };

/** Source and listener of the writer. */
export type BatchSource = {
  /** Next batch, while `inFlight` others are being written; empty if there is nothing to do yet. */
  dequeue: (inFlight: number) => Promise<QueuedEvent[]>;
  onCommitted: (events: QueuedEvent[]) => void;
  /** Another entry has the id, so the event is not stored. */
  onTaken: (event: QueuedEvent) => void;
  /** The database will never take this event. */
  onRefused: (event: QueuedEvent, error: unknown) => void;
  /** An organization's chain cannot continue: its head is not the newest row's. */
  onDamaged: (events: QueuedEvent[], error: unknown) => void;
};

/**
 * Permanent faults of a row: data exceptions, constraints, program limits, values the driver cannot send. All others
 * (connection lost, 40001, 40P01, missing function, read-only standby …) are retried.
 */
const isRefusal = (error: unknown): boolean => /^(22|23|54)...$|^UNDEFINED_VALUE$|^ERR_INVALID_/.test(codeOf(error));

/** By constraint name, or in the message of a cluster node, which appends the shard's number. */
const DAMAGE = /\baudit_logs_org_seq_key(_\d+)?\b|\baudit_chain_heads: /;

/** Under its lock, a taken sequence or rows past a missing head mean damage, not a conflict. */
const isChainDamage = (error: unknown): boolean => {
  const { constraint_name: constraint }: { constraint_name?: unknown } = Object(error);
  return codeOf(error) === "23505" && DAMAGE.test(`${constraint} ${messageOf(error)}`);
};

/** Groups events by organization, in order. */
export const byOrganization = (events: readonly QueuedEvent[]) => groupBy(events, ({ row }) => row.orgId);

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Writes batches across all organizations over one connection. A second batch is sent while the database works on the
 * first, to hide the time Node needs in between; the server processes them in order. Every event is committed, reported
 * as taken, or refused by name; none is skipped.
 */
export class BatchWriter {
  retries = 0;
  private lastError: { code: string; message: string } | null = null;
  private readonly inFlight = new Set<{ since: number }>();
  private readonly stopping = new AbortController();
  private readonly work = new Signal();
  /** Number of failing batches that wait to retry. */
  private failing = 0;
  /** Start of the current run of failures. */
  private failingSince = 0;
  private loggedAt = 0;
  private readonly finished: Promise<void>;

  constructor(
    private readonly source: BatchSource,
    private readonly connection: Pick<WriterConnection, "append" | "reset" | "batches">,
  ) {
    this.finished = this.run();
  }

  /** Time spent on the oldest batch in flight, in ms; 0 if there is none. */
  get busyMs(): number {
    let since = Number.POSITIVE_INFINITY;
    for (const batch of this.inFlight) since = Math.min(since, batch.since);
    return this.inFlight.size === 0 ? 0 : Math.max(1, Date.now() - since);
  }

  /** Reason of the last failure, and the time since the last success; null if the last try succeeded. */
  get fault(): WriteFault | null {
    return this.lastError && { ...this.lastError, ms: Math.max(1, Date.now() - this.failingSince) };
  }

  /** Signals that there may be something to dequeue. */
  notify(): void {
    this.work.notify();
  }

  /** Stops dequeuing; resolves when batches in flight are answered. */
  stop(): Promise<void> {
    this.stopping.abort();
    this.notify();
    return this.finished;
  }

  private async run(): Promise<void> {
    const batches = new Set<Promise<void>>();
    while (!this.stopping.signal.aborted) {
      // Lets callers of the last batch submit their next event before this batch is closed.
      await tick();
      this.work.reset();
      const hasRoom = this.inFlight.size < this.connection.batches() && this.failing === 0;
      const events = hasRoom ? await this.source.dequeue(this.inFlight.size) : [];
      if (events.length > 0) {
        const batch = this.send(events).finally(() => {
          batches.delete(batch);
          this.notify();
        });
        batches.add(batch);
      } else if (!this.stopping.signal.aborted) await this.work.wait();
    }
    await Promise.all(batches);
  }

  private async send(events: QueuedEvent[]): Promise<void> {
    const batch = { since: Date.now() };
    this.inFlight.add(batch);
    await this.commit(events);
    this.inFlight.delete(batch);
  }

  private async commit(events: QueuedEvent[]): Promise<void> {
    for (let attempt = 0; !this.stopping.signal.aborted || attempt === 0; attempt++) {
      try {
        const taken = new Set(await this.append(events));
        this.lastError = null;
        this.source.onCommitted(taken.size === 0 ? events : events.filter(({ row }) => !taken.has(row)));
        for (const event of events) if (taken.has(event.row)) this.source.onTaken(event);
        return;
      } catch (error) {
        const [isDamage, isRefused] = [isChainDamage(error), isRefusal(error)];
        // The fault is in these events; the database answers.
        if (isDamage || isRefused) this.lastError = null;
        if (isDamage) return this.separate(events, error);
        if (isRefused) return this.isolate(events, error);
        this.report(error);
      }
      this.retries += 1;
      this.failing += 1;
      await this.backOff(Math.min(MAX_BACKOFF_MS, 25 * 2 ** Math.min(attempt, 10)) * (0.75 + Math.random() / 2));
      this.failing -= 1;
    }
  }

  /** Retries each organization separately, so that one damaged chain does not hold up the others. */
  private async separate(events: QueuedEvent[], error: unknown): Promise<void> {
    const groups = byOrganization(events);
    if (groups.size === 1) return this.source.onDamaged(events, error);
    for (const group of groups.values()) await this.commit(group);
  }

  /** Splits a batch in halves until the bad event is isolated, so that it does not block the others. */
  private async isolate(events: QueuedEvent[], error: unknown): Promise<void> {
    const [first] = events;
    if (first && events.length === 1) return this.source.onRefused(first, error);
    const middle = events.length >> 1;
    await this.commit(events.slice(0, middle));
    await this.commit(events.slice(middle));
  }

  private async append(events: QueuedEvent[]): Promise<readonly object[]> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.connection.reset();
        reject(new Error(`no answer from the database within ${APPEND_TIMEOUT_MS / 1000} s`));
      }, APPEND_TIMEOUT_MS).unref();
    });
    try {
      return await Promise.race([this.connection.append(events.map((event) => event.row)), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  private report(error: unknown): void {
    if (!this.lastError) this.failingSince = Date.now();
    this.lastError = { code: codeOf(error), message: messageOf(error) };
    if (Date.now() - this.loggedAt < LOG_EVERY_MS) return;
    this.loggedAt = Date.now();
    log.error({ err: error }, "audit events could not be written to the database; they wait in the spool");
  }

  /** Before another try; a stop cuts it short. */
  private async backOff(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopping.signal, ref: false }).catch(() => {});
  }
}
