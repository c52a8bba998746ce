import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { toError } from "@/db/thrown";

/** A stream silent for this long is abandoned: a frozen database must not block a verification indefinitely. */
const READ_TIMEOUT_MS = 60_000;
/** Bytes after which others get a turn: libuv reads up to 2 MB from a fast socket in a row, 10 ms of hashing. */
const TURN_BYTES = 64 * 1024;

export type CopyOptions = { signal?: AbortSignal | undefined; ready?: () => Promise<void> | null };

/**
 * Passes each chunk of a COPY to `push`; resolves at its end. Rejects if the connection is lost, on abort or on
 * silence.
 */
export function drain(
  stream: Readable,
  push: (chunk: Buffer) => void,
  { signal, ready }: CopyOptions = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = Date.now();
    let taken = 0;
    const watch = setInterval(() => {
      if (!stream.isPaused() && Date.now() - heard > READ_TIMEOUT_MS)
        stream.destroy(new Error("the database stopped answering"));
    }, READ_TIMEOUT_MS / 4);
    const abort = () => stream.destroy(new Error("cancelled"));
    signal?.addEventListener("abort", abort, { once: true });
    const done = (error?: Error) => {
      clearInterval(watch);
      signal?.removeEventListener("abort", abort);
      if (error) reject(error);
      else resolve();
    };
    stream.on("data", (chunk: Buffer) => {
      heard = Date.now();
      try {
        push(chunk);
      } catch (error) {
        stream.destroy(toError(error));
        return;
      }
      taken += chunk.length;
      const wait = ready?.() ?? (taken < TURN_BYTES ? null : nextTurn());
      if (!wait) return;
      taken = 0;
      stream.pause();
      void wait.then(() => {
        heard = Date.now();
        stream.resume();
      });
    });
    stream.once("end", () => {
      // postgres.js pauses its socket when the stream is full and resumes it in _read, which Node no longer calls once
      // the end is queued; otherwise the connection's next query would hang.
      try {
        stream._read(0);
        done();
      } catch {
        // No socket: the database disconnected between the last row and the end of the statement.
        done(new Error("the connection to the database was lost"));
      }
    });
    stream.once("error", done);
  });
}
