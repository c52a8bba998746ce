import postgres from "postgres";
import { env } from "../env";
import { log } from "../log";
import { type AuditInsert, appendAudit } from "./append";
import type { Segment } from "./spool";

export const MAX_BATCH_ROWS = 500;
export const MAX_BATCH_BYTES = 2 * 1024 * 1024;
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
  /** The next batch, empty when there is nothing to do. */
  take: () => Promise<Item[]>;
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
 * The one lane to the database: one batch at a time across all organizations, the next one as soon as the last
 * returned. What is in a batch is either committed, or named as poison; nothing is skipped, nothing overtakes.
 */
export class Lane {
  retries = 0;
  lastError: string | null = null;
  private busySince = 0;
  private stopping = false;
  private wakeUp: () => void = () => {};
  private loggedAt = 0;
  private readonly finished: Promise<void>;

  constructor(private readonly io: LaneIo) {
    this.finished = this.run();
  }

  /** How long the batch under way has been tried, in ms; 0 when there is none. */
  get busyMs(): number {
    return this.busySince === 0 ? 0 : Date.now() - this.busySince;
  }

  wake(): void {
    this.wakeUp();
  }

  /** Takes no further batch; resolves when the one under way has been answered. */
  stop(): Promise<void> {
    this.stopping = true;
    this.wakeUp();
    return this.finished;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      // Those who waited for the last batch get the chance to hand in their next event before this one is cut.
      await tick();
      const items = await this.io.take();
      if (items.length > 0) await this.commit(items);
      else if (!this.stopping) await this.pause(null);
    }
  }

  private async commit(items: Item[]): Promise<void> {
    this.busySince = Date.now();
    for (let attempt = 0; !this.stopping || attempt === 0; attempt++) {
      try {
        await this.append(items);
        this.busySince = 0;
        this.lastError = null;
        this.io.settled(items);
        return;
      } catch (error) {
        if (isPoison(error)) return this.split(items, error);
        this.complain(error);
      }
      this.retries += 1;
      await this.pause(Math.min(MAX_PAUSE_MS, 25 * 2 ** Math.min(attempt, 10)) * (0.75 + Math.random() / 2));
    }
  }

  /** One bad event must neither block nor take its neighbours: halves are tried until it stands alone. */
  private async split(items: Item[], error: unknown): Promise<void> {
    if (items.length === 1) {
      this.busySince = 0;
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

  /** Sleeps until woken by stop or, without a time, by new work. */
  private pause(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms).unref();
      this.wakeUp = () => {
        if (ms !== null && !this.stopping) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** A connection of the lane's own, so that no request ever stands between two batches. */
export function laneConnection(): {
  append: (rows: AuditInsert[]) => Promise<unknown>;
  reset: () => void;
  close: () => Promise<void>;
} {
  let sql: postgres.Sql | null = null;
  const open = () =>
    postgres(env().DATABASE_URL, {
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
