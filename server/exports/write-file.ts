import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

type Written = { sizeBytes: number; sha256: string };
type Options = { gzip: boolean; signal: AbortSignal; onBytes: (sum: number) => void };

/**
 * Writes texts to a new file that this process's user alone may read, as they come: memory stays flat. It is on the disk
 * when this resolves.
 */
export async function writeFile(
  path: string,
  texts: AsyncIterable<string>,
  { gzip, signal, onBytes }: Options,
): Promise<Written> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      onBytes(sizeBytes);
      done(null, chunk);
    },
  });
  const source = Readable.from(texts, { objectMode: false, highWaterMark: 64 * 1024 });
  const target = createWriteStream(path, { flags: "w", mode: 0o600, flush: true });
  if (gzip) await pipeline(source, createGzip(), measure, target, { signal });
  else await pipeline(source, measure, target, { signal });
  return { sizeBytes, sha256: hash.digest("hex") };
}
