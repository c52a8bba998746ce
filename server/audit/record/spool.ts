import {
  closeSync,
  constants,
  fdatasync,
  fsync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  unlinkSync,
  write,
  writeSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { AuditInsert } from "@/server/audit/row";
import { decodeFrames } from "./frame";
import { adoptOrphans, beat, openFolder, releaseFolder, removeIfEmpty } from "./spool-folder";

export const SEGMENT_BYTES = 4 * 1024 * 1024;
export const MAX_SPOOL_BYTES = 512 * 1024 * 1024;
/** An active segment that holds nothing pending is emptied from this size on, so that a replay stays short. */
const RECLAIM_BYTES = 256 * 1024;

const TYPICAL_FRAME_BYTES = 600;

const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);
const writeBytes = promisify(write);
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * A file of the spool. Hot: its events are in memory too. Cold: they are on disk alone (left by a dead process, or
 * written while memory was full) and are read back in turn. It goes when its last pending event is settled.
 */
export type Segment = {
  path: string;
  fd: number | null;
  bytes: number;
  pending: number;
  cold: boolean;
  dirty: boolean;
  fresh: boolean;
  /** Flushes and writes under way off the event loop; the descriptor stays open until they are over. */
  busy: number;
  gone: boolean;
};

/** The durable side of recording: append-only segment files in a folder of this process. */
export class Spool {
  /** Lines that did not match their checksum when they were read back: torn by a crash, or damaged. */
  damaged = 0;
  private readonly folder: string;
  private readonly segments = new Set<Segment>();
  private cold: Segment[] = [];
  private active: Segment | null = null;
  private sequence = 0;
  /** The last event found no room: what can be given back is given back at once. */
  private refused = false;
  private syncing: Promise<void> | null = null;
  private nextSync: Promise<void> | null = null;
  /** Frames that leave in the next write, and the write before it. */
  private forming: { chunks: { segment: Segment; frames: string }[]; done: Promise<void> } | null = null;
  private lastWrite: Promise<void> = Promise.resolve();
  private writesUnderWay = 0;
  /** Writes off the event loop that the disk refused; their events are in memory alone. */
  failedWrites = 0;

  constructor(
    private readonly root: string,
    private readonly maxBytes = MAX_SPOOL_BYTES,
  ) {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    this.folder = openFolder(root);
    this.adopt();
  }

  get bytes(): number {
    let sum = 0;
    for (const segment of this.segments) sum += segment.bytes;
    return sum;
  }

  get files(): number {
    return this.segments.size;
  }

  get hasCold(): boolean {
    return this.cold.length > 0;
  }

  /** Events that are on disk alone; those of other processes are estimated by size. */
  get coldEvents(): number {
    return this.cold.reduce((sum, s) => sum + (s.pending || Math.ceil(s.bytes / TYPICAL_FRAME_BYTES)), 0);
  }

  /** Takes over what dead processes left; their events are replayed like any cold ones. */
  adopt(): void {
    for (const name of adoptOrphans(this.root, this.folder))
      for (const file of readdirSync(join(this.root, name)).sort()) {
        const path = join(this.root, name, file);
        const segment = { ...blank(path), bytes: statSync(path).size, cold: true };
        this.segments.add(segment);
        // Before the active segment, which may be cold too and must stay the last.
        this.cold.splice(this.active?.cold ? this.cold.length - 1 : this.cold.length, 0, segment);
      }
  }

  heartbeat(): void {
    beat(this.root, this.folder);
    this.adopt();
  }

  /**
   * Writes the frames of `count` events at the end of the active segment, synchronously and whole or not at all.
   * @returns the segment, or null when the spool is full or the disk refuses.
   */
  append(frames: string, count: number, cold: boolean): Segment | null {
    const bytes = Buffer.from(frames);
    this.refused = true;
    if (this.bytes + bytes.length > this.maxBytes) return null;
    const segment = this.activeFor(bytes.length, cold);
    if (!segment || !this.write(segment, bytes)) return null;
    this.refused = false;
    segment.bytes += bytes.length;
    segment.pending += count;
    segment.dirty = true;
    return segment;
  }

  /**
   * append() for those who can wait for written(): room is taken at once, the frames are written off the event loop,
   * everybody's together. A write into a file system that is busy flushing may take a millisecond.
   */
  appendSoon(frames: string, count: number): Segment | null {
    const length = Buffer.byteLength(frames);
    this.refused = true;
    if (this.bytes + length > this.maxBytes) return null;
    const segment = this.activeFor(length, false);
    if (!segment) return null;
    this.refused = false;
    segment.bytes += length;
    segment.pending += count;
    segment.dirty = true;
    this.forming ??= this.form();
    this.forming.chunks.push({ segment, frames });
    return segment;
  }

  /** Resolves when everything appended so far has been handed to the kernel; null when it has been. */
  written(): Promise<void> | null {
    return this.forming?.done ?? (this.writesUnderWay > 0 ? this.lastWrite : null);
  }

  /** Tells that `count` of the segment's events are in the database (or given up). */
  settle(segment: Segment, count: number): void {
    segment.pending -= count;
    if (segment.pending > 0) return;
    if (segment !== this.active) this.remove(segment);
    else if (segment.bytes > (this.refused ? 0 : RECLAIM_BYTES) && segment.fd !== null) {
      try {
        ftruncateSync(segment.fd, 0);
        segment.bytes = 0;
      } catch {
        this.retire();
      }
    }
  }

  /** The events of the oldest cold segment, which is hot from now on; null when there is none. */
  async readCold(): Promise<{ segment: Segment; rows: AuditInsert[] } | null> {
    const segment = this.cold[0];
    if (!segment) return null;
    if (segment === this.active) this.active = null;
    const bytes = await readFile(segment.path).catch(() => null);
    this.cold.shift();
    if (bytes === null) {
      // Left where it is: a later start tries again.
      this.segments.delete(segment);
      this.damaged += 1;
      return { segment, rows: [] };
    }
    const { rows, damaged } = decodeFrames(bytes);
    this.damaged += damaged;
    segment.cold = false;
    segment.pending = rows.length;
    if (rows.length === 0) this.remove(segment);
    return { segment, rows };
  }

  /** Resolves when everything appended so far would survive the loss of power; callers share one flush. */
  sync(): Promise<void> {
    if (!this.syncing) {
      this.syncing = this.flush().finally(() => {
        this.syncing = null;
      });
      return this.syncing;
    }
    this.nextSync ??= this.syncing
      .catch(() => {})
      .then(() => {
        this.nextSync = null;
        return this.sync();
      });
    return this.nextSync;
  }

  /** Closes the files; what is pending stays for the next process. */
  close(): void {
    for (const segment of this.segments) {
      if (segment.pending === 0 && !segment.cold) this.remove(segment);
      else this.shut(segment);
    }
    releaseFolder(this.root, this.folder);
  }

  private activeFor(bytes: number, cold: boolean): Segment | null {
    const active = this.active;
    if (active && active.cold === cold && (active.bytes === 0 || active.bytes + bytes <= SEGMENT_BYTES)) return active;
    this.retire();
    const path = join(this.root, this.folder, `${String(++this.sequence).padStart(8, "0")}.log`);
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600);
      this.active = { ...blank(path), fd, cold, fresh: true };
    } catch {
      return null;
    }
    this.segments.add(this.active);
    if (cold) this.cold.push(this.active);
    return this.active;
  }

  /** A half-written frame is cut off again; a file that cannot even be cut takes no more. */
  private write(segment: Segment, bytes: Buffer): boolean {
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(segment.fd as number, bytes, written);
      return true;
    } catch {
      try {
        if (written > 0) ftruncateSync(segment.fd as number, segment.bytes);
      } catch {
        this.retire();
      }
      return false;
    }
  }

  private form() {
    const forming: { chunks: { segment: Segment; frames: string }[]; done: Promise<void> } = {
      chunks: [],
      done: this.lastWrite,
    };
    this.writesUnderWay += 1;
    forming.done = this.lastWrite.then(tick).then(async () => {
      this.forming = null;
      for (const segment of new Set(forming.chunks.map((chunk) => chunk.segment)))
        await this.writeOut(
          segment,
          forming.chunks.filter((chunk) => chunk.segment === segment).map(({ frames }) => frames),
        );
      this.writesUnderWay -= 1;
    });
    this.lastWrite = forming.done;
    return forming;
  }

  /** A refused write leaves at most one torn line at the end of a file that takes no more. */
  private async writeOut(segment: Segment, frames: string[]): Promise<void> {
    // Everything in it is in the database already.
    if (segment.fd === null || segment.pending === 0) return;
    segment.busy += 1;
    try {
      const bytes = Buffer.from(frames.join(""));
      for (let at = 0; at < bytes.length; ) at += (await writeBytes(segment.fd, bytes, at)).bytesWritten;
    } catch {
      this.failedWrites += frames.length;
      if (segment === this.active) this.retire();
    } finally {
      segment.busy -= 1;
      if (segment.gone) this.shut(segment);
    }
  }

  private retire(): void {
    const segment = this.active;
    this.active = null;
    if (segment && segment.pending === 0 && !segment.cold) this.remove(segment);
  }

  private remove(segment: Segment): void {
    this.segments.delete(segment);
    segment.gone = true;
    try {
      unlinkSync(segment.path);
    } catch {
      // Replaying it once more would change nothing.
    }
    this.shut(segment);
    const folder = dirname(segment.path);
    if (folder !== join(this.root, this.folder)) removeIfEmpty(folder);
  }

  /** A descriptor under flush is closed when the flush is over. */
  private shut(segment: Segment): void {
    if (segment.fd === null || segment.busy > 0) return;
    closeSync(segment.fd);
    segment.fd = null;
  }

  private async flush(): Promise<void> {
    await this.written();
    const dirty = [...this.segments].filter((s) => s.dirty && s.fd !== null);
    if (dirty.some((s) => s.fresh)) await this.flushFolder();
    for (const segment of dirty) await this.flushSegment(segment);
  }

  private async flushSegment(segment: Segment): Promise<void> {
    if (segment.fd === null) return;
    segment.dirty = false;
    segment.busy += 1;
    try {
      await syncData(segment.fd);
      segment.fresh = false;
    } catch (error) {
      segment.dirty = true;
      throw error;
    } finally {
      segment.busy -= 1;
      if (segment.gone) this.shut(segment);
    }
  }

  private async flushFolder(): Promise<void> {
    const fd = openSync(join(this.root, this.folder), constants.O_RDONLY);
    try {
      await syncAll(fd);
    } finally {
      closeSync(fd);
    }
  }
}

const blank = (path: string): Segment => ({
  path,
  fd: null,
  bytes: 0,
  pending: 0,
  cold: false,
  dirty: false,
  fresh: false,
  busy: 0,
  gone: false,
});
