import { createReadStream } from "node:fs";
import { StringDecoder } from "node:string_decoder";

/** No line of a bundle comes near this; a file without newlines must not fill the memory. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

/**
 * The lines of a file (or of standard input, "-") as they come, without their newlines. Only \n ends a line: readline
 * would also break at U+2028, which JSON text may hold.
 * @throws Error when the file cannot be read or a line is too long
 */
export async function* readLines(file: string): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of file === "-" ? process.stdin : createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    const lines = (rest + decoder.write(chunk as Buffer)).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARS) throw new Error("a line is too long for an evidence bundle");
    yield* lines;
  }
  rest += decoder.end();
  if (rest) yield rest;
}
