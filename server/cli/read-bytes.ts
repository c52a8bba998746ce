import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

const CHUNK_BYTES = 1024 * 1024;
/** As much of a file as tells what it is. */
const START_BYTES = 64;

/** A file, or standard input ("-"), as its first bytes and everything from its start on. */
export type OpenFile = { start: Buffer; chunks: AsyncIterable<Buffer> };

/**
 * Opens a file so that what it is can be told by how it begins, and the whole of it still be read.
 * @throws Error when it cannot be read
 */
export async function openFile(file: string): Promise<OpenFile> {
  const stream: Readable = file === "-" ? process.stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const rest: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
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

/** The text of bytes in pieces as they come. */
export async function* textOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  for await (const chunk of chunks) yield decoder.write(chunk);
  yield decoder.end();
}
