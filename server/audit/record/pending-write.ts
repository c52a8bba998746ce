import { setTimeout as sleep } from "node:timers/promises";
import type { AuditInsert } from "@/server/audit/row";
import { sharedRuns } from "@/server/ground/background/background-loop";
import { AppError } from "@/server/ground/errors";
import type { Segment } from "./segment";

/** How long a caller waits, in ms. */
export const WRITE_TIMES = {
  /** For the commit, before a flushed spool will do. */
  commit: 250,
  /** When neither the database nor the disk answers. */
  giveUp: 2_000,
};
export type WriteTimes = typeof WRITE_TIMES;
const SWEEP_MS = 50;

const unavailable = () =>
  new AppError("unavailable", "Audit events cannot be stored right now; send them again.", {
    headers: { "Retry-After": "2" },
  });

/** Events of one caller who waits until all of them survive a crash. The first answer counts, later ones do nothing. */
export class PendingWrite {
  /** @throws AppError when an event is refused or nothing takes the events */
  readonly durable: Promise<void>;
  readonly since = Date.now();
  /** Where the events are spooled; null while they are in memory alone. */
  segment: Segment | null = null;
  isDone = false;
  /** Events in memory alone that the database has not answered for. */
  readonly unsettled = new Set<{ row: AuditInsert; segment: Segment | null }>();
  /** Events that were not taken, because their ids are other entries'. */
  readonly refused: AuditInsert[] = [];
  /** The caller has been told to send them again: what nothing has taken since need not be kept. */
  #isGivenBack = false;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #uncommitted: number;

  /** @param isOneChain whether all of them are of one organization */
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
   * The id of one of the events is another entry's.
   * @returns false where the caller has been told already that it is safe
   */
  refuse(row: AuditInsert): boolean {
    if (this.isDone) return this.#isGivenBack;
    this.refused.push(row);
    this.committed();
    return true;
  }

  /** One of the events is in the database. */
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

  /** The caller is told to send them again. */
  giveBack(): void {
    this.#isGivenBack ||= !this.isDone;
    this.reject(unavailable());
  }

  /** Whether events of a damaged chain need not be kept: all of the request's can be, or have been, given back. */
  get canBeGivenBack(): boolean {
    if (this.isDone) return this.#isGivenBack;
    // Sent again, what is committed would be stored twice; so would what another chain is about to take.
    return this.isOneChain && this.#uncommitted === this.events;
  }
}

/** Callers who wait for a commit. One who has waited long enough is answered after a flush of the spool, or refused. */
export class PendingWrites {
  #waiting: PendingWrite[] = [];
  #timer: NodeJS.Timeout | null = null;
  #isEnding = false;

  /** @param spool whether a commit is not to be expected soon, what spools events, and a flush, which says whether it succeeded */
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

  /** Answers all of them. */
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

  /** @returns false when the disk fails, or is too slow for the oldest caller */
  async #flush(): Promise<boolean> {
    const [oldest] = this.#waiting;
    const waited = Date.now() - (oldest?.since ?? 0);
    const over = new AbortController();
    // A process that was held up itself gives the disk its time all the same.
    const timeout = sleep(Math.max(this.times.commit, this.times.giveUp - waited), false, { signal: over.signal });
    try {
      return await Promise.race([this.spool.flush(), timeout.catch(() => false)]);
    } finally {
      over.abort();
    }
  }
}
