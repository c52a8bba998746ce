import { createReadStream, readFileSync } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";

const CHUNK_BYTES = 1024 * 1024;
/** Enough of a file to recognize its type. */
const START_BYTES = 64;
const GZIP = Buffer.from([0x1f, 0x8b]);

/** A file or standard input ("-"): its first bytes, and the whole stream. */
export type OpenFile = { start: Buffer; chunks: AsyncIterable<Buffer> };

const WHY = new Map([
  ["ENOENT", "there is no such file"],
  ["ENOTDIR", "there is no such file"],
  ["EISDIR", "it is a directory"],
  ["EACCES", "it may not be read by this user"],
]);

/** Reason that a file cannot be read. */
function unreadable(error: unknown): Error {
  const { code = "" }: { code?: string } = Object(error);
  return new Error(WHY.get(code) ?? `it cannot be read${code && ` (${code})`}`);
}

/** Text of a small file. @throws Error in words, also if it is not UTF-8 */
export function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw unreadable(error);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error("it is not a text in UTF-8");
  }
}

async function* inWords(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    throw unreadable(error);
  }
}

async function begin(rest: AsyncGenerator<Buffer>): Promise<OpenFile> {
  let start: Buffer = Buffer.alloc(0);
  while (start.length < START_BYTES) {
    const { value, done } = await rest.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  async function* whole() {
    yield start;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { start, chunks: whole() };
}

/**
 * Opens a file so that its start can be inspected and the whole still read; gzip files are decompressed.
 * @throws Error in words when it cannot be read
 */
export async function openFile(file: string): Promise<OpenFile> {
  const stream: Readable = file === "-" ? process.stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const opened = await begin(inWords(stream));
  if (!opened.start.subarray(0, GZIP.length).equals(GZIP)) return opened;
  // Its errors surface where the result is read.
  const plain = pipeline(Readable.from(opened.chunks), createGunzip(), () => {});
  return begin(inWords(plain));
}

/** Decodes bytes to text in pieces. */
export async function* textOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  for await (const chunk of chunks) yield decoder.write(chunk);
  yield decoder.end();
}
