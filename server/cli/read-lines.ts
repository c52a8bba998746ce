import { createReadStream } from "node:fs";
import { StringDecoder } from "node:string_decoder";

/** No line of a bundle comes near this; a file without newlines must not fill the memory. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

/** The text of a file (or of standard input, "-") in pieces as they come. @throws Error when it cannot be read */
export async function* readText(file: string): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  for await (const chunk of file === "-" ? process.stdin : createReadStream(file, { highWaterMark: 1024 * 1024 }))
    yield decoder.write(chunk as Buffer);
  yield decoder.end();
}

/** The beginning of a text, of at least so many characters where there are as many, and all of it in pieces. */
export async function peek(
  pieces: AsyncGenerator<string>,
  length: number,
): Promise<{ start: string; pieces: AsyncGenerator<string> }> {
  let start = "";
  while (start.length < length) {
    const { value, done } = await pieces.next();
    if (done) break;
    start += value;
  }
  async function* whole() {
    yield start;
    yield* pieces;
  }
  return { start, pieces: whole() };
}

/**
 * The lines of a text, without their newlines. Only \n ends a line: readline would also break at U+2028, which JSON text
 * may hold.
 * @throws Error when a line is too long
 */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARS) throw new Error("a line is too long for an evidence bundle");
    yield* lines;
  }
  if (rest) yield rest;
}
