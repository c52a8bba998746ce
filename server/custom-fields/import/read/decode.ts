import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { analyse } from "chardet";
import iconv from "iconv-lite";
import { codeOf } from "@/db/thrown";
import { MAX_IMPORT_BYTES } from "@/server/custom-fields/import/plan-schema";
import { AppError } from "@/server/ground/errors";
import { badFile } from "./bad-file";
import type { Encoding } from "./file-schema";

const SAMPLE_BYTES = 64 * 1024;
const tooLarge = () => new AppError("payload_too_large", "The file is over 100 MiB (after decompression).");

/** First bytes of a file on disk. */
export async function headOf(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;
const WORKBOOK_HEADS: readonly string[] = [
  // An archive: its first member or its end, because a table may start with the letters PK.
  ...["PK\x03\x04", "PK\x05\x06"],
  // An OLE compound file.
  "\xd0\xcf\x11\xe0",
  // Excel 2, 3, 4 sheets, and later ones without the compound file, as many PHP scripts write.
  ...["\t\0\x04\0", "\t\x02\x06\0", "\t\x04\x06\0", "\t\x08\x06\0", "\t\x08\x08\0", "\t\x08\x10\0"],
];
export const isWorkbookHead = (head: Buffer): boolean => WORKBOOK_HEADS.includes(head.toString("latin1", 0, 4));

/**
 * Bytes of a file, decompressed as a stream, up to the limit.
 * @throws AppError payload_too_large, validation_failed for broken gzip.
 */
async function* readBytes(path: string, gzip: boolean): AsyncGenerator<Buffer> {
  const raw = createReadStream(path, { highWaterMark: 256 * 1024 });
  const source: Readable = gzip ? raw.pipe(createGunzip()) : raw;
  raw.once("error", (error) => source.destroy(error));
  let size = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_IMPORT_BYTES) throw tooLarge();
      yield chunk;
    }
  } catch (error) {
    if (codeOf(error).startsWith("Z_"))
      throw badFile("is no complete gzip file: compress it again, or choose the file inside");
    throw error;
  } finally {
    source.destroy();
    raw.destroy();
  }
}

/** First bytes of a gzip file's contents. @throws AppError validation_failed for broken gzip. */
export async function packedHead(path: string, bytes: number): Promise<Buffer> {
  for await (const chunk of readBytes(path, true)) return chunk.subarray(0, bytes);
  return Buffer.alloc(0);
}

/** Detects UTF-16 without a byte order mark: every other byte of Western text is zero. */
function utf16By(sample: Buffer): Encoding | null {
  const pairs = Math.floor(Math.min(sample.length, 4096) / 2);
  let [even, odd] = [0, 0];
  for (let i = 0; i < pairs; i++) {
    if (sample[2 * i] === 0) even++;
    if (sample[2 * i + 1] === 0) odd++;
  }
  if (pairs < 2) return null;
  if (odd > pairs * 0.6 && even < pairs * 0.1) return "utf-16le";
  return even > pairs * 0.6 && odd < pairs * 0.1 ? "utf-16be" : null;
}

function byMark(head: Buffer): Encoding | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return "utf-8";
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : null;
}

/** Multibyte encodings follow rules, so a few letters identify them. */
const BY_RULE: Record<string, Encoding> = {
  "UTF-16LE": "utf-16le",
  "UTF-16BE": "utf-16be",
  Shift_JIS: "shift_jis",
  "EUC-JP": "euc-jp",
  GB18030: "gb18030",
  Big5: "big5",
  "EUC-KR": "euc-kr",
};
/** Single-byte encodings are told by letter frequency, so only a clear lead counts. */
const BY_FREQUENCY: Record<string, Encoding> = {
  "windows-1251": "windows-1251",
  "KOI8-R": "koi8-r",
  "windows-1253": "windows-1253",
  "ISO-8859-7": "windows-1253",
};
const SURE_BY_RULE = 60;
const LEAD_BY_FREQUENCY = 3;

/** An encoding, and whether it is only a guess from letters. */
export type FoundEncoding = { encoding: Encoding; isGuessed: boolean };
const guessed = (encoding: Encoding): FoundEncoding => ({ encoding, isGuessed: true });

/** True for UTF-8 with damage: more valid letters beyond ASCII than invalid bytes. */
function isDamagedUtf8(sample: Buffer): boolean {
  const [letters = 0, faults = 0] = [/[^\0-\x7f\ufffd]/gu, /\ufffd/g].map(
    (pattern) => sample.toString().match(pattern)?.length,
  );
  return letters > faults;
}

/** chardet names many encodings; Windows-1252 contains all single-byte Western ones and is the usual one. */
function byLetters(sample: Buffer): FoundEncoding {
  if (isDamagedUtf8(sample)) return { encoding: "utf-8", isGuessed: false };
  const found = analyse(sample);
  const ruled = found.find(({ name, confidence }) => BY_RULE[name] && confidence >= SURE_BY_RULE);
  if (ruled) return guessed(BY_RULE[ruled.name] ?? "windows-1252");
  const western = found.find(({ name }) => /^(windows-1252|ISO-8859-1)$/.test(name))?.confidence ?? 0;
  const [best] = found;
  const likely = best && BY_FREQUENCY[best.name];
  if (likely && best.confidence > LEAD_BY_FREQUENCY * western) return guessed(likely);
  // Lines ending in CR only come from the classic Macintosh.
  return guessed(sample.includes("\r") && !sample.includes("\n") ? "macintosh" : "windows-1252");
}

/**
 * Encoding of a text file: by its mark, else UTF-8 if every byte of the file is valid (the last one may decide), else
 * by the letters around the first invalid byte.
 */
export async function detectEncoding(path: string, gzip: boolean): Promise<FoundEncoding> {
  let first = true;
  let last: Buffer = Buffer.alloc(0);
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of readBytes(path, gzip)) {
    const sample = chunk.subarray(0, SAMPLE_BYTES);
    const marked = first ? (byMark(sample) ?? utf16By(sample)) : null;
    if (marked) return { encoding: marked, isGuessed: false };
    first = false;
    try {
      utf8.decode(chunk, { stream: true });
    } catch {
      return byLetters(chunk.length > SAMPLE_BYTES ? sampleAround(chunk) : chunk);
    }
    last = chunk;
  }
  try {
    utf8.decode();
  } catch {
    return byLetters(last.subarray(-SAMPLE_BYTES));
  }
  return { encoding: "utf-8", isGuessed: false };
}

function sampleAround(chunk: Buffer): Buffer {
  const at = chunk.findIndex((byte) => byte > 0x7f);
  const start = Math.max(0, at - SAMPLE_BYTES / 2);
  return chunk.subarray(start, start + SAMPLE_BYTES);
}

/** The file as text in pieces, without byte order marks; characters across pieces stay whole. */
export async function* readText(path: string, gzip: boolean, encoding: Encoding): AsyncGenerator<string> {
  const decoder = iconv.getDecoder(encoding, { stripBOM: true });
  let isStarted = false;
  for await (const chunk of readBytes(path, gzip)) {
    const text = decoder.write(chunk);
    // Some programs add a second mark.
    const unmarked = isStarted ? text : text.replace(/^\ufeff+/, "");
    isStarted ||= text !== "";
    if (unmarked) yield unmarked;
  }
  const rest = decoder.end();
  if (rest) yield rest;
}

/** Start of the text, for detection. */
export async function textHead(path: string, gzip: boolean, encoding: Encoding): Promise<string> {
  let text = "";
  for await (const piece of readText(path, gzip, encoding)) {
    text += piece;
    if (text.length >= SAMPLE_BYTES) break;
  }
  return text.slice(0, SAMPLE_BYTES);
}
