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
/** An active segment without pending events is emptied from this size on, to keep replays short. */
const RECLAIM_BYTES = 256 * 1024;

const TYPICAL_FRAME_BYTES = 600;
/** Bytes that a disk must accept before a refusal is considered over. */
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
  /** Deferred writes that the disk refused; their events are only in memory. */
  failedWrites = 0;
  /** Reason of the last refusal (ENOSPC); "" if the last write succeeded. */
  fault = "";
  private readonly folder: string;
  private readonly segments = new Set<Segment>();
  private cold: Segment[] = [];
  /** Events of chains that cannot continue, by organization, oldest first. */
  private readonly held = new Map<string, Segment[]>();
  private active: Segment | null = null;
  private sequence = 0;
  /** The last event found no space, so all possible space is freed at once. */
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

  /** True if there is room for the events of some requests; a full spool refuses them. */
  get hasRoom(): boolean {
    return this.bytes + SEGMENT_BYTES <= this.maxBytes;
  }

  get files(): number {
    return this.segments.size;
  }

  get hasCold(): boolean {
    return this.cold.length > 0;
  }

  /** Events only on disk; those of other processes are estimated by size. */
  get coldEvents(): number {
    return this.cold.reduce((sum, s) => sum + (s.pending || Math.ceil(s.bytes / TYPICAL_FRAME_BYTES)), 0);
  }

  /** Takes over events of dead processes, replayed like any cold ones. */
  adopt(): void {
    for (const name of adoptOrphans(this.root, this.folder))
      for (const file of readdirSync(join(this.root, name)).sort()) {
        const segment = Segment.adopt(join(this.root, name, file));
        this.segments.add(segment);
        // Inserted before the active segment, which may be cold too and must stay last.
        this.cold.splice(this.active?.isCold ? this.cold.length - 1 : this.cold.length, 0, segment);
      }
  }

  heartbeat(): void {
    beat(this.root, this.folder);
    this.adopt();
    if (this.fault !== "") this.probe();
  }

  /**
   * Appends the frames of `count` events to the active segment, synchronously, all or nothing.
   * @returns the segment, or null when the spool is full or the disk refuses
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
   * append() for callers who wait for written(): reserves room at once and writes all frames together off the event
   * loop, because a busy file system may take a millisecond.
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

  /** Resolves when everything appended so far is handed to the kernel; null if it already is. */
  written(): Promise<void> | null {
    return this.deferred.done();
  }

  /** Marks `count` events of the segment as committed or refused. */
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
   * Keeps events of a stalled chain; they are on disk when this returns.
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

  /** Releases a chain that can continue: its held events are replayed before all others on disk. */
  release(orgId: string): void {
    const segments = this.held.get(orgId) ?? [];
    this.held.delete(orgId);
    for (const segment of segments) segment.isCold = true;
    this.cold.unshift(...segments);
  }

  /** Events of the oldest cold segment, which then stops being cold; null without one. */
  async readCold(): Promise<{ segment: Segment; rows: AuditInsert[] } | null> {
    const segment = this.cold[0];
    if (!segment) return null;
    if (segment === this.active) this.active = null;
    const bytes = await readFile(segment.path).catch(() => null);
    // Not shift(): a released chain may have been put before it during the read.
    this.cold = this.cold.filter((other) => other !== segment);
    if (bytes === null) {
      // The file stays, for a later start to try again.
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

  /** Resolves when everything appended so far survives a power loss; callers share one flush. */
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

  /** Active segment with room for these bytes, or a new one; null if the spool is full. */
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

  /** Its name sorts before other segments, so that a later start replays it first. */
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
    // Everything is in the database already.
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

  /** Tests a disk that refused an event: behind a proxy that obeys /readyz no event would arrive to test it. */
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
