import { appendFileSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { AuditInsert } from "@/server/audit/row";
import { AppError } from "@/server/errors";
import { log } from "@/server/log";
import { encodeFrame } from "./frame";
import { Spool } from "./spool";
import { HEARTBEAT_MS } from "./spool-folder";
import { type Item, Lane, laneConnection, MAX_BATCH_BYTES, MAX_BATCH_ROWS, type Ticket } from "./writer";

/** What waits in memory; beyond it events are on disk alone until the lane comes to them. */
const MAX_QUEUED_ROWS = 20_000;
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
/** How long somebody waits for the commit before a flushed spool will do. */
export const COMMIT_PATIENCE_MS = 250;
/** How long somebody waits when neither the database nor the disk answers. */
const GIVE_UP_MS = 2_000;
const SWEEP_MS = 50;
/** A second batch with less than this would cost the database more than it saves here. */
const WORTH_SENDING_ROWS = 48;
const MAX_DEAD_LETTER_BYTES = 64 * 1024 * 1024;

const unavailable = () =>
  new AppError("unavailable", "Audit events cannot be stored right now; send them again.", {
    headers: { "Retry-After": "2" },
  });

/** An id that stands in another organization's chain already; the answer names nothing of it. */
export const idConflict = () =>
  new AppError("conflict", "An event id is already in use; send the event under a new id.");

/** The process's recorder: queue, spool and lane. Made once a process, see record.ts. */
export class Recorder {
  private queue: Item[] = [];
  private head = 0;
  private queuedBytes = 0;
  private spool: Spool | null = null;
  private root: string | null = null;
  private lane: Lane | null = null;
  private waiting: Ticket[] = [];
  private sweeper: NodeJS.Timeout | null = null;
  private heart: NodeJS.Timeout | null = null;
  private idle: (() => void)[] = [];
  private closed = false;
  private readonly counts = { recorded: 0, committed: 0, dropped: 0, deadLettered: 0, spoolFailures: 0 };

  /** @param connection the way to the database; of the recorder's own unless told */
  constructor(private readonly connection = laneConnection()) {}

  /** Opens the spool in `dir`, adopts what dead processes left there and starts the lane. */
  start(dir: string): void {
    this.root = dir;
    this.closed = false;
    this.openSpool();
    this.heart ??= setInterval(() => this.heartbeat(), HEARTBEAT_MS).unref();
    this.startLane();
  }

  /** Flushes for at most `deadlineMs`; what is left then stays in the spool for the next start. */
  async stop(deadlineMs: number): Promise<void> {
    await this.flush(deadlineMs);
    this.closed = true;
    if (this.heart) clearInterval(this.heart);
    this.heart = null;
    const stopped = this.lane?.stop();
    await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 500).unref())]);
    await this.sweep(true);
    await this.spool?.written();
    await this.connection.close();
    this.spool?.close();
    this.spool = null;
    this.lane = null;
    this.queue = [];
    this.head = 0;
    this.queuedBytes = 0;
  }

  /** Resolves when nothing is pending any more, at the latest after `deadlineMs`. */
  flush(deadlineMs: number): Promise<void> {
    if (this.isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, deadlineMs);
      this.idle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** True when a commit cannot be hoped for soon: the database is away, frozen, or far behind. */
  get isBehind(): boolean {
    return (this.lane?.busyMs ?? 0) > COMMIT_PATIENCE_MS || (this.spool?.hasCold ?? false);
  }

  /** Spools the events and queues them for the lane. Events that neither takes are counted as dropped. */
  enqueue(rows: AuditInsert[], ticket: Ticket | null = null): void {
    if (this.closed) {
      this.drop(rows.length, ticket);
      return;
    }
    const frames = rows.map(encodeFrame);
    const text = frames.join("");
    const full =
      this.queue.length - this.head + rows.length > MAX_QUEUED_ROWS ||
      this.queuedBytes + text.length > MAX_QUEUED_BYTES;
    const cold = full || (this.spool?.hasCold ?? false);
    const segment =
      (ticket || cold ? this.spool?.append(text, rows.length, cold) : this.spool?.appendSoon(text, rows.length)) ??
      null;
    if (this.spool && !segment) this.counts.spoolFailures += 1;
    if (!segment && full) {
      this.drop(rows.length, ticket);
      return;
    }
    this.counts.recorded += rows.length;
    if (ticket) ticket.segment = segment;
    if (!segment || !cold)
      for (let i = 0; i < rows.length; i++) {
        const item = { row: rows[i] as AuditInsert, bytes: (frames[i] as string).length, segment, ticket };
        this.queuedBytes += item.bytes;
        this.queue.push(item);
      }
    this.startLane();
    this.lane?.wake();
  }

  /** @see whenWritten in record.ts */
  written(): Promise<void> | null {
    return this.spool?.written() ?? null;
  }

  /** @see recordDurably in record.ts */
  durably(rows: AuditInsert[]): Promise<void> {
    if (rows.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const ticket: Ticket = {
        since: Date.now(),
        remaining: rows.length,
        done: false,
        segment: null,
        settle: (error) => {
          if (ticket.done) return;
          ticket.done = true;
          if (error) reject(error);
          else resolve();
        },
      };
      this.enqueue(rows, ticket);
      if (ticket.done) return;
      this.waiting.push(ticket);
      if (this.isBehind) void this.sweep();
      this.sweeper ??= setInterval(() => void this.sweep(), SWEEP_MS);
    });
  }

  stats() {
    return {
      ...this.counts,
      spoolFailures: this.counts.spoolFailures + (this.spool?.failedWrites ?? 0),
      queued: this.queue.length - this.head + this.pending + (this.spool?.coldEvents ?? 0),
      queuedBytes: this.queuedBytes,
      spoolOpen: this.spool !== null,
      spoolBytes: this.spool?.bytes ?? 0,
      spoolFiles: this.spool?.files ?? 0,
      damaged: this.spool?.damaged ?? 0,
      behind: this.isBehind,
      stuckMs: this.lane?.busyMs ?? 0,
      retries: this.lane?.retries ?? 0,
      lastError: this.lane?.lastError ?? null,
    };
  }

  private openSpool(): void {
    if (this.spool || !this.root) return;
    try {
      this.spool = new Spool(this.root);
    } catch (error) {
      log.error({ err: error }, "the audit spool cannot be opened; events are kept in memory alone");
    }
  }

  private heartbeat(): void {
    this.openSpool();
    try {
      this.spool?.heartbeat();
    } catch (error) {
      log.warn({ err: error }, "the audit spool cannot be looked through");
    }
    if (this.spool?.hasCold) this.lane?.wake();
  }

  private startLane(): void {
    this.lane ??= new Lane({
      take: (underWay) => this.take(underWay),
      append: (rows) => this.connection.append(rows),
      reset: () => this.connection.reset(),
      settled: (items) => this.settled(items),
      poisoned: (item, error) => this.poisoned(item, error),
    });
  }

  private isIdle(): boolean {
    return this.head === this.queue.length && !this.spool?.hasCold && this.pending === 0;
  }

  /** Items that the lane has taken and not answered for. */
  private pending = 0;

  private async take(underWay: number): Promise<Item[]> {
    while (this.head === this.queue.length && this.spool?.hasCold) {
      // Counted as pending while it is neither cold nor queued, so that nobody takes the recorder for idle.
      this.pending += 1;
      const read = await this.spool.readCold();
      this.pending -= 1;
      for (const row of read?.rows ?? []) {
        const bytes = (row.details?.length ?? 0) + 512;
        this.queuedBytes += bytes;
        this.queue.push({ row, bytes, segment: read?.segment ?? null, ticket: null });
      }
    }
    const waiting = this.queue.length - this.head;
    if (underWay > 0 && waiting < WORTH_SENDING_ROWS) return [];
    // Half now, so that the other half is prepared while the database works on this one.
    const most = underWay > 0 ? MAX_BATCH_ROWS : Math.min(MAX_BATCH_ROWS, Math.max(WORTH_SENDING_ROWS, waiting >> 1));
    const batch: Item[] = [];
    for (let bytes = 0; this.head < this.queue.length && batch.length < most; this.head++) {
      const item = this.queue[this.head] as Item;
      bytes += item.bytes;
      if (batch.length > 0 && bytes > MAX_BATCH_BYTES) break;
      this.queuedBytes -= item.bytes;
      batch.push(item);
    }
    if (this.head > 4096 || this.head === this.queue.length) {
      this.queue = this.queue.slice(this.head);
      this.head = 0;
    }
    this.pending += batch.length;
    if (this.isIdle()) for (const resolve of this.idle.splice(0)) resolve();
    return batch;
  }

  private settled(items: Item[]): void {
    this.counts.committed += items.length;
    for (const item of items) this.finish(item);
  }

  private poisoned(item: Item, error: unknown): void {
    this.counts.deadLettered += 1;
    log.error(
      { err: error, orgId: item.row.orgId, id: item.row.id, action: item.row.action },
      "an audit event was refused by the database",
    );
    this.keepDeadLetter(item.row);
    const conflict = (error as { code?: unknown }).code === "23505";
    this.finish(
      item,
      conflict ? idConflict() : new AppError("internal", "An audit event was refused; it is kept aside."),
    );
  }

  private finish(item: Item, error?: unknown): void {
    this.pending -= 1;
    if (item.segment) this.spool?.settle(item.segment, 1);
    const ticket = item.ticket;
    if (!ticket) return;
    ticket.remaining -= 1;
    if (error) ticket.settle(error);
    else if (ticket.remaining === 0) ticket.settle();
  }

  /** For the operator to look at; the same lines as the spool's. */
  private keepDeadLetter(row: AuditInsert): void {
    if (!this.root) return;
    const path = join(this.root, "dead-letter.log");
    try {
      mkdirSync(this.root, { recursive: true, mode: 0o700 });
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < MAX_DEAD_LETTER_BYTES)
        appendFileSync(path, encodeFrame(row), { mode: 0o600 });
    } catch (error) {
      log.error({ err: error, row }, "a refused audit event could not be kept aside");
    }
  }

  private drop(count: number, ticket: Ticket | null): void {
    if (this.counts.dropped === 0)
      log.error("audit events are being lost: the spool and the memory are full, or recording has stopped");
    this.counts.dropped += count;
    ticket?.settle(unavailable());
  }

  /** Lets those go who waited long enough for the commit: a flushed spool survives a crash as well. */
  private async sweep(last = false): Promise<void> {
    this.waiting = this.waiting.filter((ticket) => !ticket.done);
    if (this.waiting.length === 0 && this.sweeper) {
      clearInterval(this.sweeper);
      this.sweeper = null;
    }
    const now = Date.now();
    const behind = last || this.isBehind;
    const late = this.waiting.filter(
      (ticket) => ticket.segment && (behind || now - ticket.since >= COMMIT_PATIENCE_MS),
    );
    if (late.length > 0 && this.spool)
      await this.spool.sync().then(
        () => late.forEach((ticket) => void ticket.settle()),
        () => {
          this.counts.spoolFailures += 1;
        },
      );
    for (const ticket of this.waiting) if (last || now - ticket.since >= GIVE_UP_MS) ticket.settle(unavailable());
  }
}
