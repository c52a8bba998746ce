import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  statSync,
  unlinkSync,
  write,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import type { AuditInsert } from "@/server/audit/row";

const syncData = promisify(fdatasync);
const writeBytes = promisify(write);

/** An append-only file of the spool. */
export class Segment {
  /** Bytes written or about to be. */
  bytes = 0;
  /** Events neither committed nor refused. */
  pending = 0;
  /** Written to since the last flush. */
  isDirty = false;
  /** False where half a frame is at its end. */
  isWhole = true;
  /** Created since the last flush: its directory entry is not on disk yet. */
  isFresh = false;
  #fd: number | null = null;
  /** Running writes and flushes; the descriptor stays open until they end. */
  #inFlight = 0;
  #isClosing = false;

  private constructor(
    readonly path: string,
    /** Its events are only on disk. */
    public isCold: boolean,
    /** Time of acceptance of its first event, in ms. */
    readonly createdAt = Date.now(),
  ) {}

  /** @throws Error if the disk refuses */
  static create(path: string, isCold: boolean): Segment {
    const segment = new Segment(path, isCold);
    segment.#fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600);
    segment.isFresh = true;
    return segment;
  }

  /** Opens a file left by a dead process, read only. */
  static adopt(path: string): Segment {
    const { size, birthtimeMs } = statSync(path);
    const segment = new Segment(path, true, birthtimeMs);
    segment.bytes = size;
    return segment;
  }

  get needsFlush(): boolean {
    return this.isDirty && this.#fd !== null;
  }

  /** Reserves room for events being written. */
  reserve(bytes: number, events: number): void {
    this.bytes += bytes;
    this.pending += events;
    this.isDirty = true;
  }

  /**
   * Appends synchronously, all or nothing: a partial frame is cut off.
   * @throws Error if the disk refuses; if the cut fails too, the file is not whole and must take no more
   */
  append(bytes: Buffer): void {
    if (this.#fd === null) throw new Error("the segment is closed");
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
    } catch (error) {
      this.isWhole = false;
      if (written > 0) ftruncateSync(this.#fd, fstatSync(this.#fd).size - written);
      this.isWhole = true;
      throw error;
    }
  }

  /** Appends off the event loop. @throws Error if the disk refuses; at most one torn line then remains at the end. */
  async write(bytes: Buffer): Promise<void> {
    await this.#use(async (fd) => {
      for (let at = 0; at < bytes.length; ) at += (await writeBytes(fd, bytes, at)).bytesWritten;
    });
  }

  /** Resolves when everything written so far survives a power loss. @throws Error; it stays dirty then. */
  async flush(): Promise<void> {
    if (!this.needsFlush) return;
    this.isDirty = false;
    try {
      await this.#use(syncData);
      this.isFresh = false;
    } catch (error) {
      this.isDirty = true;
      throw error;
    }
  }

  /** flush() on the event loop, for rare cases. @throws Error; it stays dirty then. */
  flushNow(): void {
    if (this.#fd === null) return;
    fdatasyncSync(this.#fd);
    this.isDirty = false;
    this.isFresh = false;
  }

  /** Empties the file. @throws Error if the disk refuses */
  truncate(): void {
    if (this.#fd === null) return;
    ftruncateSync(this.#fd, 0);
    this.bytes = 0;
  }

  /** Deletes the file; replaying one that cannot be deleted changes nothing. */
  remove(): void {
    try {
      unlinkSync(this.path);
    } catch {}
    this.close();
  }

  close(): void {
    this.#isClosing = true;
    if (this.#fd === null || this.#inFlight > 0) return;
    closeSync(this.#fd);
    this.#fd = null;
  }

  async #use(work: (fd: number) => Promise<void>): Promise<void> {
    if (this.#fd === null) return;
    this.#inFlight += 1;
    try {
      await work(this.#fd);
    } finally {
      this.#inFlight -= 1;
      if (this.#isClosing) this.close();
    }
  }
}

/**
 * One spooled event per line: CRC-32 of the JSON in eight hex digits, a space, the JSON, a newline. JSON has no raw
 * newline, so a damaged line does not affect its neighbors.
 */
export function encodeFrame(row: AuditInsert): string {
  const json = JSON.stringify(row);
  return `${crc32(json).toString(16).padStart(8, "0")} ${json}\n`;
}

const PREFIX = 9;
const NEWLINE = 0x0a;

/** Events of a segment in the order of writing; `damaged` counts lines with a wrong checksum. */
export function decodeFrames(bytes: Buffer): { rows: AuditInsert[]; damaged: number } {
  const rows: AuditInsert[] = [];
  let damaged = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found < 0 ? bytes.length : found;
    const json = bytes.subarray(start + PREFIX, end);
    const expected = bytes.toString("latin1", start, start + PREFIX - 1);
    if (found >= 0 && crc32(json).toString(16).padStart(8, "0") === expected)
      rows.push(JSON.parse(json.toString("utf8")));
    else damaged += 1;
    start = end + 1;
  }
  return { rows, damaged };
}

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

type Frames = Map<Segment, string[]>;

/** Writes frames off the event loop: those of one tick together, one write at a time. */
export class DeferredWrites {
  #forming: Frames | null = null;
  #last: Promise<void> = Promise.resolve();
  #inFlight = 0;

  /** @param write never rejects */
  constructor(private readonly write: (segment: Segment, frames: string[]) => Promise<void>) {}

  add(segment: Segment, frames: string): void {
    this.#forming ??= this.#start();
    const others = this.#forming.get(segment);
    if (others) others.push(frames);
    else this.#forming.set(segment, [frames]);
  }

  /** Resolves when all frames added so far are handed to the kernel; null if they already were. */
  done(): Promise<void> | null {
    return this.#inFlight > 0 ? this.#last : null;
  }

  #start(): Frames {
    const forming: Frames = new Map();
    this.#inFlight += 1;
    this.#last = this.#last.then(tick).then(async () => {
      this.#forming = null;
      for (const [segment, frames] of forming) await this.write(segment, frames);
      this.#inFlight -= 1;
    });
    return forming;
  }
}
