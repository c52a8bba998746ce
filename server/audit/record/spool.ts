import { closeSync, constants, fsync, openSync, readdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { syncFolder } from "@/db/embedded/sync-folder";
import { codeOf, messageOf } from "@/db/thrown";
import type { AuditInsert } from "@/server/audit/row";
import { sharedRuns } from "@/server/ground/background/background-loop";
import { DeferredWrites, decodeFrames, Segment } from "./segment";
import { adoptOrphans, beat, openFolder, releaseFolder, removeFile, removeIfEmpty } from "./spool-folder";

export const SEGMENT_BYTES = 4 * 1024 * 1024;
const MAX_SPOOL_BYTES = 512 * 1024 * 1024;
/** An active segment that holds nothing pending is emptied from this size on, so that a replay stays short. */
const RECLAIM_BYTES = 256 * 1024;

const TYPICAL_FRAME_BYTES = 600;
/** What a disk that refused an event has to take before it is said to take events. */
const PROBE_BYTES = 256 * 1024;

const syncAll = promisify(fsync);

const faultOf = (error: unknown): string => codeOf(error) || messageOf(error);

/**
 * The durable side of recording: append-only segment files in a folder of this process.
 *
 * | Segment | Its events are          | It takes events | It goes, and with it its file                        |
 * |---------|-------------------------|-----------------|------------------------------------------------------|
 * | active  | in memory too           | yes             | is emptied when none is pending, or becomes full     |
 * | full    | in memory too           | no              | when its last pending event is committed or refused  |
 * | cold    | on disk alone           | while active    | becomes full when it is read back, oldest first      |
 *
 * Cold are the segments of dead processes, and those written while memory was full. At most one segment is active, and
 * an active cold one is the newest of the cold ones, so events leave in the order in which they came.
 */
export class Spool {
  /** Lines that did not match their checksum when they were read back: torn by a crash, or damaged. */
  damaged = 0;
  /** Deferred writes that the disk refused; their events are in memory alone. */
  failedWrites = 0;
  /** Why the disk refused the last events that it was given (ENOSPC); "" where it took them. */
  fault = "";
  private readonly folder: string;
  private readonly segments = new Set<Segment>();
  private cold: Segment[] = [];
  /** Events of chains that the database cannot continue, by organization, oldest first. */
  private readonly held = new Map<string, Segment[]>();
  private active: Segment | null = null;
  private sequence = 0;
  /** The last event found no space: all that can be freed is freed at once. */
  private isRefusing = false;
  private readonly deferred = new DeferredWrites((segment, frames) => this.writeDeferred(segment, frames));

  constructor(
    private readonly root: string,
    private readonly maxBytes = MAX_SPOOL_BYTES,
  ) {
    this.folder = openFolder(root);
    this.adopt();
  }

  get bytes(): number {
    let sum = 0;
    for (const segment of this.segments) sum += segment.bytes;
    return sum;
  }

  /** Whether events of some requests find room; when it is full they are refused. */
  get hasRoom(): boolean {
    return this.bytes + SEGMENT_BYTES <= this.maxBytes;
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
        const segment = Segment.adopt(join(this.root, name, file));
        this.segments.add(segment);
        // Before the active segment, which may be cold too and must stay the last.
        this.cold.splice(this.active?.isCold ? this.cold.length - 1 : this.cold.length, 0, segment);
      }
  }

  heartbeat(): void {
    beat(this.root, this.folder);
    this.adopt();
    if (this.fault !== "") this.probe();
  }

  /**
   * Writes the frames of `count` events at the end of the active segment, synchronously and whole or not at all.
   * @returns the segment, or null when the spool is full or the disk refuses.
   */
  append(frames: string, count: number, isCold: boolean): Segment | null {
    const bytes = Buffer.from(frames);
    const segment = this.segmentFor(bytes.length, isCold);
    if (!segment || !this.write(segment, bytes)) return null;
    this.isRefusing = false;
    segment.reserve(bytes.length, count);
    return segment;
  }

  /**
   * append() for callers who wait for written(): room is taken at once, the frames of all of them are written together
   * off the event loop. A write into a file system that is busy flushing may take a millisecond.
   */
  appendDeferred(frames: string, count: number): Segment | null {
    const length = Buffer.byteLength(frames);
    const segment = this.segmentFor(length, false);
    if (!segment) return null;
    this.isRefusing = false;
    segment.reserve(length, count);
    this.deferred.add(segment, frames);
    return segment;
  }

  /** Resolves when everything appended so far has been handed to the kernel; null when it has been. */
  written(): Promise<void> | null {
    return this.deferred.done();
  }

  /** `count` of the segment's events are in the database, or refused by it. */
  settle(segment: Segment, count: number): void {
    segment.pending -= count;
    if (segment.pending > 0) return;
    if (segment !== this.active) this.remove(segment);
    else if (segment.bytes > (this.isRefusing ? 0 : RECLAIM_BYTES)) {
      try {
        segment.truncate();
      } catch {
        this.retire();
      }
    }
  }

  /**
   * Keeps events of a chain that cannot continue, on the disk when this returns.
   * @returns false when the spool is full or the disk refuses
   */
  hold(orgId: string, frames: string, count: number): boolean {
    const bytes = Buffer.from(frames);
    if (this.bytes + bytes.length > this.maxBytes) return false;
    try {
      const segment = this.heldSegment(orgId, bytes.length);
      segment.append(bytes);
      segment.reserve(bytes.length, count);
      segment.flushNow();
      return true;
    } catch {
      return false;
    }
  }

  /** The chain can be continued: what was held of it is replayed before everything else on disk. */
  release(orgId: string): void {
    const segments = this.held.get(orgId) ?? [];
    this.held.delete(orgId);
    for (const segment of segments) segment.isCold = true;
    this.cold.unshift(...segments);
  }

  /** The events of the oldest cold segment, which is cold no longer; null when there is none. */
  async readCold(): Promise<{ segment: Segment; rows: AuditInsert[] } | null> {
    const segment = this.cold[0];
    if (!segment) return null;
    if (segment === this.active) this.active = null;
    const bytes = await readFile(segment.path).catch(() => null);
    // Not shift(): a chain that was released during the read may stand before it now.
    this.cold = this.cold.filter((other) => other !== segment);
    if (bytes === null) {
      // The file stays where it is: a later start tries again.
      this.segments.delete(segment);
      this.damaged += 1;
      return { segment, rows: [] };
    }
    const { rows, damaged } = decodeFrames(bytes);
    this.damaged += damaged;
    segment.isCold = false;
    segment.pending = rows.length;
    if (rows.length === 0) this.remove(segment);
    return { segment, rows };
  }

  /** Resolves when everything appended so far would survive the loss of power; callers share one flush. */
  readonly sync = sharedRuns(async () => {
    await this.written();
    const dirty = [...this.segments].filter((segment) => segment.needsFlush);
    if (dirty.some((segment) => segment.isFresh)) await this.flushFolder();
    for (const segment of dirty) await segment.flush();
  });

  /** Closes the files; what is pending stays for the next process. */
  close(): void {
    for (const segment of this.segments) {
      if (segment.pending === 0 && !segment.isCold) this.remove(segment);
      else segment.close();
    }
    releaseFolder(this.root, this.folder);
  }

  /** The segment that takes so many bytes, a new one where the active one cannot; null when there is no room. */
  private segmentFor(bytes: number, isCold: boolean): Segment | null {
    this.isRefusing = true;
    if (this.bytes + bytes > this.maxBytes) return null;
    const { active } = this;
    if (active?.isCold === isCold && (active.bytes === 0 || active.bytes + bytes <= SEGMENT_BYTES)) return active;
    this.retire();
    const path = join(this.root, this.folder, `${String(++this.sequence).padStart(8, "0")}.log`);
    try {
      this.active = Segment.create(path, isCold);
    } catch (error) {
      this.fault = faultOf(error);
      return null;
    }
    this.segments.add(this.active);
    if (isCold) this.cold.push(this.active);
    return this.active;
  }

  /** In the name order of its folder a held segment comes before the others: a later start replays it first. */
  private heldSegment(orgId: string, bytes: number): Segment {
    const segments = this.held.get(orgId) ?? [];
    const last = segments.at(-1);
    if (last && last.bytes + bytes <= SEGMENT_BYTES) return last;
    const number = String(++this.sequence).padStart(8, "0");
    const segment = Segment.create(join(this.root, this.folder, `0-held-${number}.log`), false);
    this.held.set(orgId, [...segments, segment]);
    this.segments.add(segment);
    syncFolder(join(this.root, this.folder));
    return segment;
  }

  private write(segment: Segment, bytes: Buffer): boolean {
    try {
      segment.append(bytes);
      this.fault = "";
      return true;
    } catch (error) {
      this.fault = faultOf(error);
      if (!segment.isWhole) this.retire();
      return false;
    }
  }

  private async writeDeferred(segment: Segment, frames: string[]): Promise<void> {
    // All of it is in the database already.
    if (segment.pending === 0) return;
    try {
      await segment.write(Buffer.from(frames.join("")));
      this.fault = "";
    } catch (error) {
      this.fault = faultOf(error);
      this.failedWrites += frames.length;
      if (segment === this.active) this.retire();
    }
  }

  /** A disk that refused an event may accept the next one, which a proxy that obeys /readyz would not send. */
  private probe(): void {
    const path = join(this.root, `${this.folder}.probe`);
    try {
      writeFileSync(path, Buffer.alloc(PROBE_BYTES), { flush: true });
      this.fault = "";
    } catch (error) {
      this.fault = faultOf(error);
    }
    removeFile(path);
  }

  private retire(): void {
    const segment = this.active;
    this.active = null;
    if (segment && segment.pending === 0 && !segment.isCold) this.remove(segment);
  }

  private remove(segment: Segment): void {
    this.segments.delete(segment);
    segment.remove();
    const folder = dirname(segment.path);
    if (folder !== join(this.root, this.folder)) removeIfEmpty(folder);
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
