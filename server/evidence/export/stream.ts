import { createHash } from "node:crypto";
import { PassThrough } from "node:stream";

const FLUSH_BYTES = 64 * 1024;
/** A client that reads nothing for this long must not keep a connection and its snapshot. */
export const CLIENT_TIMEOUT_MS = 10 * 60_000;

/** Streams lines of a bundle to the client and digests them. */
export class BundleStream {
  readonly out = new PassThrough({ highWaterMark: 4 * FLUSH_BYTES });
  readonly #digest = createHash("sha256");
  #buffer = "";

  write(lines: string): void {
    this.#buffer += lines;
    if (this.#buffer.length >= FLUSH_BYTES) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = "";
    this.#digest.update(bytes);
    this.out.write(bytes);
  }

  /** Null while the client keeps up; else resolves when it does again. */
  ready(): Promise<void> | null {
    return this.out.writableNeedDrain ? this.#drained() : null;
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => this.out.destroy(new Error("the client takes nothing any more"));
      const timeout = setTimeout(end, CLIENT_TIMEOUT_MS);
      const go = () => {
        clearTimeout(timeout);
        this.out.off("drain", go).off("close", go);
        resolve();
      };
      this.out.on("drain", go).on("close", go);
    });
  }

  /** Writes the last line, made from the digest of all others. */
  end(line: (digest: Uint8Array) => string): void {
    this.#flush();
    this.out.end(line(this.#digest.digest()));
  }
}
