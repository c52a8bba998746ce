import { setTimeout as sleep } from "node:timers/promises";
import type { AuditInsert } from "@/server/audit/row";
import { sharedRuns } from "@/server/ground/background/background-loop";
import { AppError } from "@/server/ground/errors";
import type { Segment } from "./segment";

/** Time that a caller waits, in ms. */
export const WRITE_TIMES = {
  /** For the commit; after that a flushed spool suffices. */
  commit: 250,
  /** If neither the database nor the disk answers. */
  giveUp: 2_000,
};
export type WriteTimes = typeof WRITE_TIMES;
const SWEEP_MS = 50;

const unavailable = () =>
  new AppError("unavailable", "Audit events cannot be stored right now; send them again.", {
    headers: { "Retry-After": "2" },
  });

/** Events of a caller who waits until all of them are durable. The first outcome counts. */
export class PendingWrite {
  /** @throws AppError if an event is refused or nothing takes the events */
  readonly durable: Promise<void>;
  readonly since = Date.now();
  /** Segment with the events; null while they are only in memory. */
  segment: Segment | null = null;
  isDone = false;
  /** Events only in memory and not yet answered by the database. */
  readonly unsettled = new Set<{ row: AuditInsert; segment: Segment | null }>();
  /** Events refused because another entry has their id. */
  readonly refused: AuditInsert[] = [];
  /** The caller was told to retry, so events not yet taken need not be kept. */
  #isGivenBack = false;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #uncommitted: number;

  /** @param isOneChain whether all events are of one organization */
  constructor(
    private readonly events: number,
    private readonly isOneChain = true,
  ) {
    this.#uncommitted = events;
    this.durable = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /**
   * Marks an event whose id another entry has.
   * @returns false if the caller was already told that it is safe
   */
  refuse(row: AuditInsert): boolean {
    if (this.isDone) return this.#isGivenBack;
    this.refused.push(row);
    this.committed();
    return true;
  }

  /** Marks one event as committed. */
  committed(): void {
    this.#uncommitted -= 1;
    if (this.#uncommitted === 0) this.resolve();
  }

  resolve(): void {
    this.isDone = true;
    this.#resolve();
  }

  reject(error: unknown): void {
    this.isDone = true;
    this.#reject(error);
  }

  /** Tells the caller to retry. */
  giveBack(): void {
    this.#isGivenBack ||= !this.isDone;
    this.reject(unavailable());
  }

  /** True if events of a damaged chain may be dropped, because the whole request is, or can be, given back. */
  get canBeGivenBack(): boolean {
    if (this.isDone) return this.#isGivenBack;
    // A retry would store committed events twice, as well as those about to be stored by another chain.
    return this.isOneChain && this.#uncommitted === this.events;
  }
}

/** Callers who wait for a commit. After too long, each is answered after a flush of the spool, or refused. */
export class PendingWrites {
  #waiting: PendingWrite[] = [];
  #timer: NodeJS.Timeout | null = null;
  #isEnding = false;

  /** @param spool whether a commit is unlikely soon, a way to spool events, and a flush that reports success */
  constructor(
    private readonly spool: {
      isBehind: () => boolean;
      keep: (write: PendingWrite) => void;
      flush: () => Promise<boolean>;
    },
    private readonly times: WriteTimes = WRITE_TIMES,
  ) {}

  add(write: PendingWrite): void {
    if (write.isDone) return;
    this.#waiting.push(write);
    if (this.spool.isBehind()) void this.sweep();
    this.#timer ??= setInterval(() => void this.sweep(), SWEEP_MS);
  }

  /** Answers the callers whose time is up, one sweep at a time. */
  readonly sweep = sharedRuns(() => this.#sweep());

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.sweep();
    this.#isEnding = false;
  }

  async #sweep(): Promise<void> {
    this.#waiting = this.#waiting.filter((write) => !write.isDone);
    if (this.#waiting.length === 0 && this.#timer) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    const waitedFor = (ms: number) => this.#waiting.filter(({ since }) => Date.now() - since >= ms);
    const isBehind = this.#isEnding || this.spool.isBehind();
    const unanswered = isBehind ? this.#waiting : waitedFor(this.times.commit);
    for (const write of unanswered) if (!write.segment) this.spool.keep(write);
    const late = unanswered.filter(({ segment }) => segment);
    if (late.length > 0 && (await this.#flush())) for (const write of late) write.resolve();
    for (const write of this.#isEnding ? this.#waiting : waitedFor(this.times.giveUp)) write.giveBack();
  }

  /** @returns false if the disk fails, or is too slow for the oldest caller */
  async #flush(): Promise<boolean> {
    const [oldest] = this.#waiting;
    const waited = Date.now() - (oldest?.since ?? 0);
    const over = new AbortController();
    // After a stall of this process the disk still gets its time.
    const timeout = sleep(Math.max(this.times.commit, this.times.giveUp - waited), false, { signal: over.signal });
    try {
      return await Promise.race([this.spool.flush(), timeout.catch(() => false)]);
    } finally {
      over.abort();
    }
  }
}
