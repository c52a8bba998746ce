import type { AuditInsert } from "@/server/audit/row";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { counter, histogram } from "@/server/ground/background/metrics";
import { AppError } from "@/server/ground/errors";
import { idFrom } from "@/server/ground/ids";
import { log } from "@/server/ground/log";
import { writerConnection } from "./append";
import {
  BatchWriter,
  byOrganization,
  MAX_BATCH_BYTES,
  MAX_BATCH_ROWS,
  Queue,
  type QueuedEvent,
  sizeOf,
} from "./batch-writer";
import { DeadLetters } from "./dead-letters";
import { Disk } from "./disk";
import { chainDamaged, HeldChains } from "./held-chains";
import { PendingWrite, PendingWrites, WRITE_TIMES } from "./pending-write";
import { type Difference, Sample } from "./sample";
import { encodeFrame } from "./segment";
import type { Spool } from "./spool";
import { HEARTBEAT_MS } from "./spool-folder";

/** A smaller second batch would cost the database more than it saves here. */
const MIN_SECOND_BATCH_ROWS = 48;
/** Time that stop() waits for a batch in flight, which the spool holds too. */
const STOP_TIMEOUT_MS = 500;
/** Interval between retries for a damaged chain. */
const PROBE_EVERY_MS = 2_000;

const stored = counter("trailmark_audit_stored_total", "Audit events of this process that the database has sealed");
const sealTime = histogram("trailmark_audit_seal_seconds", "Time from accepting an audit event to its seal");

/**
 * The process's recorder: a queue in memory, a spool on disk and a batch writer. Created once per process, see record.ts.
 *
 * | State     | Memory | Disk                    | Until                                                       |
 * |-----------|--------|-------------------------|-------------------------------------------------------------|
 * | queued    | queue  | segment; not yet while its caller waits for the commit | the batch writer dequeues it  |
 * | cold      | –      | cold segment            | the queue is empty and the segment is read back: queued     |
 * | in flight | batch  | segment, if there is one | the database answers: committed or refused                  |
 * | committed | –      | until its segment goes  | (a replay changes nothing: the database knows its id)       |
 * | held      | –      | held segment            | the database continues the chain again: cold                |
 * | refused   | –      | dead-letter.log         | an operator decides; counted                                |
 * | taken     | queue  | dead-letter.log as well | queued under a new id; a caller who waits is told instead   |
 * | dropped   | –      | –                       | counted: neither memory nor disk had room, or it is stopped |
 * | given back | –     | –                       | the same, or held in memory alone, of a caller who waits    |
 * |           |        |                         | and is answered 503 to all of the request                   |
 *
 * Events are cold from when memory is full until the spool has no cold segment left, so they keep their order. Callers
 * of durably() wait for the commit, or for a flush of the spool while commits are slow (pending-write.ts).
 */
export class Recorder {
  private readonly queue = new Queue();
  private readonly disk = new Disk();
  private writer: BatchWriter | null = null;
  private idle: (() => void)[] = [];
  private isClosed = false;
  /** Dequeued events without an answer from the database. */
  private inFlight = 0;
  private readonly held = new HeldChains();
  private deadLetters: DeadLetters | null = null;
  private onDamage: (orgId: string) => void = () => {};
  private sample: Sample | null = null;
  private readonly counts = { recorded: 0, committed: 0, dropped: 0, deadLettered: 0 };
  private readonly writes: PendingWrites;
  private readonly heart = backgroundLoop("audit spool", HEARTBEAT_MS, async () => this.heartbeat());
  private readonly prober = backgroundLoop("audit events held", PROBE_EVERY_MS, () => this.tryHeld());

  /**
   * @param connection the database connection
   * @param times how long a caller waits
   */
  constructor(
    private readonly connection = writerConnection(),
    private readonly times = WRITE_TIMES,
  ) {
    this.writes = new PendingWrites(
      { isBehind: () => this.isBehind, keep: (write) => this.spoolLate(write), flush: () => this.disk.sync() },
      times,
    );
  }

  /**
   * Opens the spool in `dir`, adopts what dead processes left and starts the batch writer.
   * @param onDamage called once for each chain that cannot continue, while its events are held
   * @param onDifference called with rows stored differently than sent, from a sample
   */
  start(
    dir: string,
    onDamage: (orgId: string) => void = () => {},
    onDifference?: ((found: Difference[]) => void) | undefined,
  ): void {
    this.onDamage = onDamage;
    this.sample = onDifference ? new Sample(onDifference) : null;
    this.deadLetters = new DeadLetters(dir);
    this.isClosed = false;
    this.disk.open(dir);
    this.heart.start();
    this.prober.start();
    this.startWriter();
  }

  /** Flushes for at most `deadlineMs`; the rest stays in the spool for the next start. */
  async stop(deadlineMs: number): Promise<void> {
    await this.flush(deadlineMs);
    this.isClosed = true;
    await Promise.all([this.heart.stop(), this.prober.stop()]);
    const stopped = this.writer?.stop();
    await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS).unref())]);
    await this.writes.end();
    await this.disk.spool?.written();
    await this.connection.close();
    this.disk.close();
    this.writer = null;
    this.queue.clear();
  }

  /** Resolves when nothing is pending, or after `deadlineMs`. */
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

  /** True if no commit is likely soon: the database is down, frozen, or far behind. */
  get isBehind(): boolean {
    return (this.writer?.busyMs ?? 0) > this.times.commit || (this.disk.spool?.hasCold ?? false);
  }

  /** Spools events and queues them for the batch writer. Events that neither takes are given back or dropped. */
  enqueue(rows: AuditInsert[], write: PendingWrite | null = null): void {
    if (this.isClosed) {
      this.drop(rows.length, write);
      return;
    }
    const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0);
    const isFull = !this.queue.hasRoomFor(rows.length, bytes);
    const isCold = isFull || (this.disk.spool?.hasCold ?? false);
    // A caller waiting for the commit has no promise before it, so its events are spooled only if the commit is late.
    const segment = write && !isCold ? null : this.disk.append(rows, isCold ? "cold" : "deferred");
    if (!segment && isFull) {
      this.drop(rows.length, write);
      return;
    }
    this.counts.recorded += rows.length;
    if (write) write.segment = segment;
    const acceptedAt = Date.now();
    if (!segment || !isCold)
      for (const row of rows) {
        const event = { row, bytes: sizeOf(row), acceptedAt, segment, write };
        if (!segment) write?.unsettled.add(event);
        this.queue.push(event);
      }
    this.startWriter();
  }

  /** Spools events that the database has not answered yet. */
  private spoolLate(write: PendingWrite): void {
    const events = [...write.unsettled];
    const rows = events.map(({ row }) => row);
    write.segment = this.disk.append(rows, "late");
    for (const event of events) event.segment = write.segment;
  }

  /** @see whenWritten in record.ts */
  written(): Promise<void> | null {
    return this.disk.spool?.written() ?? null;
  }

  /** @see recordDurably in record.ts */
  async durably(rows: AuditInsert[]): Promise<readonly AuditInsert[]> {
    if (rows.length === 0) return [];
    const write = new PendingWrite(rows.length, new Set(rows.map(({ orgId }) => orgId)).size === 1);
    this.enqueue(rows, write);
    this.writes.add(write);
    await write.durable;
    return write.refused;
  }

  stats() {
    return {
      ...this.counts,
      ...this.disk.stats(),
      queued: this.queue.length + this.inFlight + (this.disk.spool?.coldEvents ?? 0),
      queuedBytes: this.queue.bytes,
      held: this.held.events,
      heldChains: this.held.size,
      deadLetters: this.deadLetters?.count ?? this.counts.deadLettered,
      behind: this.isBehind,
      stuckMs: this.writer?.busyMs ?? 0,
      retries: this.writer?.retries ?? 0,
      writeFault: this.writer?.fault ?? null,
    };
  }

  private heartbeat(): void {
    try {
      this.disk.heartbeat();
    } finally {
      if (this.disk.spool?.hasCold) this.writer?.notify();
    }
  }

  private startWriter(): void {
    this.writer ??= new BatchWriter(
      {
        dequeue: (inFlight) => this.dequeue(inFlight),
        onCommitted: (events) => this.onCommitted(events),
        onTaken: (event) => this.onTaken(event),
        onRefused: (event, error) => this.onRefused(event, error),
        onDamaged: (events, error) => this.onDamaged(events, error),
      },
      this.connection,
    );
    this.writer.notify();
  }

  private isIdle(): boolean {
    return this.queue.length === 0 && !this.disk.spool?.hasCold && this.inFlight === 0;
  }

  /** Next batch; skips events of held chains without waiting. */
  private async dequeue(inFlight: number): Promise<QueuedEvent[]> {
    for (;;) {
      while (this.queue.length === 0 && this.disk.spool?.hasCold) await this.readBack(this.disk.spool);
      const waiting = this.queue.length;
      if (inFlight > 0 && waiting < MIN_SECOND_BATCH_ROWS) return [];
      // Sends half now, to prepare the other half while the database works.
      const most = inFlight > 0 ? MAX_BATCH_ROWS : Math.max(MIN_SECOND_BATCH_ROWS, waiting >> 1);
      const dequeued = this.queue.dequeue(Math.min(MAX_BATCH_ROWS, most), MAX_BATCH_BYTES);
      this.inFlight += dequeued.length;
      const batch = this.held.size === 0 ? dequeued : this.withoutHeld(dequeued);
      if (this.isIdle()) for (const resolve of this.idle.splice(0)) resolve();
      if (batch.length > 0 || dequeued.length === 0) return batch;
    }
  }

  /** Queues the events of the oldest cold segment. */
  private async readBack(spool: Spool): Promise<void> {
    // Counts as in flight while neither cold nor queued, so that the recorder does not look idle.
    this.inFlight += 1;
    const read = await spool.readCold();
    this.inFlight -= 1;
    if (!read) return;
    const { rows, segment } = read;
    const acceptedAt = segment.createdAt;
    for (const row of rows) this.queue.push({ row, bytes: sizeOf(row), acceptedAt, segment, write: null });
  }

  private onCommitted(events: QueuedEvent[]): void {
    this.sample?.committed(() => events.map(({ row }) => row));
    this.counts.committed += events.length;
    stored.inc(events.length);
    const now = Date.now();
    for (const event of events) {
      sealTime.observe(Math.max(0, now - event.acceptedAt) / 1000);
      this.settle(event);
      event.write?.committed();
    }
  }

  private onDamaged(events: QueuedEvent[], error: unknown): void {
    const orgId = events[0]?.row.orgId ?? "";
    log.error({ err: error, orgId, events: events.length }, "an audit chain cannot be continued; its events are held");
    this.hold(orgId, events);
  }

  /** Holds further events of a held chain, so that they neither fail a batch nor overtake earlier ones. */
  private withoutHeld(events: QueuedEvent[]): QueuedEvent[] {
    const others: QueuedEvent[] = [];
    for (const [orgId, group] of byOrganization(events)) {
      if (this.held.has(orgId)) this.hold(orgId, group);
      else others.push(...group);
    }
    return others;
  }

  private hold(orgId: string, events: QueuedEvent[]): void {
    const isKept =
      this.disk.spool?.hold(orgId, events.map(({ row }) => encodeFrame(row)).join(""), events.length) ?? false;
    // Events only in memory are given back to a waiting caller.
    const isGivenBack = ({ segment, write }: QueuedEvent) => !isKept && !segment && write?.canBeGivenBack === true;
    const staying = events.filter((event) => !isGivenBack(event));
    const isNew = !this.held.has(orgId);
    // An event that was given back cannot be a probe: its retry would store it twice.
    if (staying[0]) this.held.add(orgId, staying[0].row, staying.length);
    for (const event of events) {
      if (isKept) this.settle(event);
      else this.inFlight -= 1;
      if (isGivenBack(event)) {
        event.write?.giveBack();
        continue;
      }
      // Spooled events stay spooled; events only in memory without room are lost and counted.
      if (!isKept && !this.held.keepInMemory(event) && !event.segment) this.drop(1, null);
      event.write?.reject(chainDamaged());
    }
    if (isNew) this.onDamage(orgId);
  }

  /** Retries one event of each held chain; the others follow once it is stored. */
  private async tryHeld(): Promise<void> {
    for (const probe of this.held.probes()) {
      const isStored = await this.connection.append([probe]).then(
        () => true,
        () => false,
      );
      if (!isStored) continue;
      log.warn({ orgId: probe.orgId }, "an audit chain can be continued again; its held events are written");
      this.disk.spool?.release(probe.orgId);
      for (const event of this.held.release(probe.orgId)) this.queue.push({ ...event, write: null });
      this.writer?.notify();
    }
  }

  /**
   * Tells a waiting caller. Acknowledged events and the server's own are stored under a derived id, so that a replay
   * changes nothing, and kept aside for the operator, who is notified.
   */
  private onTaken(event: QueuedEvent): void {
    if (event.write?.refuse(event.row)) {
      this.settle(event);
      return;
    }
    const { orgId, id, action } = event.row;
    const row = { ...event.row, id: idFrom("taken", encodeFrame(event.row)) };
    log.error({ orgId, id, storedAs: row.id, action }, "the id of an audit event is another entry's");
    this.enqueue([row]);
    this.setAside(event);
  }

  private onRefused(event: QueuedEvent, error: unknown): void {
    const { orgId, id, action } = event.row;
    log.error({ err: error, orgId, id, action }, "an audit event was refused by the database");
    this.setAside(event);
    event.write?.reject(new AppError("internal", "An audit event was refused; it is kept aside."));
  }

  /** If the file does not take it, the event stays in the spool for the next start. */
  private setAside(event: QueuedEvent): void {
    this.counts.deadLettered += 1;
    if (!this.deadLetters || this.deadLetters.keep(event.row)) this.settle(event);
    else this.inFlight -= 1;
  }

  private settle(event: QueuedEvent): void {
    this.inFlight -= 1;
    event.write?.unsettled.delete(event);
    if (event.segment) this.disk.spool?.settle(event.segment, 1);
  }

  /** Tells a waiting caller to retry, so that the events are not lost. */
  private drop(count: number, write: PendingWrite | null): void {
    if (write && !write.isDone) {
      write.giveBack();
      return;
    }
    const reason = this.isClosed ? "recording has stopped" : "the spool and the memory are full";
    if (this.counts.dropped === 0) log.error(`audit events are being lost: ${reason}`);
    this.counts.dropped += count;
  }
}
