import postgres from "postgres";
import type { AuditInsert } from "@/server/audit/row";
import { env } from "@/server/env";
import { log } from "@/server/log";
import { appendAudit } from "./append";
import type { Segment } from "./spool";

export const MAX_BATCH_ROWS = 500;
export const MAX_BATCH_BYTES = 2 * 1024 * 1024;
const MAX_UNDER_WAY = 2;
/** A statement that takes longer hangs on a dead connection; it is repeated on a new one, which changes nothing. */
const HANG_MS = 30_000;
const MAX_PAUSE_MS = 1_000;
const LOG_EVERY_MS = 10_000;

/** Someone who waits until some events are durable. */
export type Ticket = {
  since: number;
  remaining: number;
  done: boolean;
  segment: Segment | null;
  settle: (error?: unknown) => void;
};
/** An event on its way to the database. */
export type Item = { row: AuditInsert; bytes: number; segment: Segment | null; ticket: Ticket | null };

/** What the lane reads from and reports to. */
export type LaneIo = {
  /** The next batch, while `underWay` others are; empty when there is nothing to do yet. */
  take: (underWay: number) => Promise<Item[]>;
  append: (rows: AuditInsert[]) => Promise<unknown>;
  /** Makes the next append use a new connection. */
  reset: () => void;
  settled: (items: Item[]) => void;
  poisoned: (item: Item, error: unknown) => void;
};

const codeOf = (error: unknown): string => {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return String(code ?? cause?.code ?? "");
};

/**
 * Faults of a row, not of the moment: data exceptions, constraints, program limits, values that the driver cannot send.
 * Everything else (connection lost, 40001, 40P01, missing function, read-only standby …) is worth another try.
 */
const isPoison = (error: unknown): boolean => /^(22|23|54)...$|^UNDEFINED_VALUE$|^ERR_INVALID_/.test(codeOf(error));

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * The one lane to the database: one connection, batches across all organizations. A second batch is sent while the
 * database works on the first, which hides what Node does between two; the server takes them in order. What is in a batch is either committed or named as poison; nothing is skipped.
 */
export class Lane {
  retries = 0;
  lastError: string | null = null;
  private readonly underWay = new Set<{ since: number }>();
  private stopping = false;
  private failing = 0;
  private wakeUp: () => void = () => {};
  private woken = false;
  private readonly sleepers = new Set<() => void>();
  private loggedAt = 0;
  private readonly finished: Promise<void>;

  constructor(private readonly io: LaneIo) {
    this.finished = this.run();
  }

  /** How long the oldest batch under way has been tried, in ms; 0 when there is none. */
  get busyMs(): number {
    let since = Number.POSITIVE_INFINITY;
    for (const batch of this.underWay) since = Math.min(since, batch.since);
    return this.underWay.size === 0 ? 0 : Math.max(1, Date.now() - since);
  }

  wake(): void {
    this.woken = true;
    this.wakeUp();
  }

  /** Takes no further batch; resolves when those under way have been answered. */
  stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    for (const wake of this.sleepers) wake();
    return this.finished;
  }

  private async run(): Promise<void> {
    const answers = new Set<Promise<void>>();
    while (!this.stopping) {
      // Those who waited for the last batch get the chance to hand in their next event before this one is cut.
      await tick();
      this.woken = false;
      const room = this.underWay.size < MAX_UNDER_WAY && this.failing === 0;
      const items = room ? await this.io.take(this.underWay.size) : [];
      if (items.length > 0) {
        const answer = this.carry(items).finally(() => {
          answers.delete(answer);
          this.wake();
        });
        answers.add(answer);
      } else if (!this.stopping) await this.rest();
    }
    await Promise.all(answers);
  }

  private async carry(items: Item[]): Promise<void> {
    const batch = { since: Date.now() };
    this.underWay.add(batch);
    await this.commit(items);
    this.underWay.delete(batch);
  }

  private async commit(items: Item[]): Promise<void> {
    for (let attempt = 0; !this.stopping || attempt === 0; attempt++) {
      try {
        await this.append(items);
        this.lastError = null;
        this.io.settled(items);
        return;
      } catch (error) {
        if (isPoison(error)) return this.split(items, error);
        this.complain(error);
      }
      this.retries += 1;
      this.failing += 1;
      await this.pause(Math.min(MAX_PAUSE_MS, 25 * 2 ** Math.min(attempt, 10)) * (0.75 + Math.random() / 2));
      this.failing -= 1;
    }
  }

  /** One bad event must neither block nor take its neighbours: halves are tried until it stands alone. */
  private async split(items: Item[], error: unknown): Promise<void> {
    if (items.length === 1) {
      this.io.poisoned(items[0] as Item, error);
      return;
    }
    const middle = items.length >> 1;
    await this.commit(items.slice(0, middle));
    await this.commit(items.slice(middle));
  }

  private async append(items: Item[]): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const hang = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.io.reset();
        reject(new Error(`no answer from the database within ${HANG_MS / 1000} s`));
      }, HANG_MS).unref();
    });
    try {
      await Promise.race([this.io.append(items.map((item) => item.row)), hang]);
    } finally {
      clearTimeout(timer);
    }
  }

  private complain(error: unknown): void {
    this.lastError = (error as Error)?.message ?? String(error);
    if (Date.now() - this.loggedAt < LOG_EVERY_MS) return;
    this.loggedAt = Date.now();
    log.error({ err: error }, "audit events could not be written to the database; they wait in the spool");
  }

  /** Until there is new work, a batch is answered or the lane is stopped, since the last look included. */
  private rest(): Promise<void> {
    return new Promise((resolve) => {
      if (this.woken) resolve();
      this.wakeUp = resolve;
    });
  }

  /** Before another try; a stop cuts it short. */
  private pause(ms: number): Promise<void> {
    if (this.stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms).unref();
      this.sleepers.add(wake);
    });
  }
}

/** The way from the lane to a database. */
export type LaneConnection = {
  append: (rows: AuditInsert[]) => Promise<unknown>;
  reset: () => void;
  close: () => Promise<void>;
};

/** A connection of the lane's own, so that no request ever stands between two batches. */
export function laneConnection(url = () => env().DATABASE_URL): LaneConnection {
  let sql: postgres.Sql | null = null;
  const open = () =>
    postgres(url(), {
      max: 1,
      prepare: env().DATABASE_PREPARE,
      connect_timeout: 5,
      keep_alive: 10,
      // The lane has a back-off of its own; the driver's goes up to 20 s.
      backoff: () => 0,
      connection: { application_name: "trailmark-audit" },
      onnotice: () => {},
    });
  const drop = async (timeout: number) => {
    const old = sql;
    sql = null;
    await old?.end({ timeout }).catch(() => {});
  };
  return {
    append: (rows) => {
      sql ??= open();
      return appendAudit(sql, rows);
    },
    reset: () => void drop(0),
    close: () => drop(1),
  };
}
