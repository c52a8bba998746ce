/** Processed between two chances for the page to render; takes a few milliseconds. */
const CHUNK_BYTES = 256 * 1024;

const pause = () => new Promise<void>((resume) => setTimeout(resume));

type Options = { onBytes: (read: number) => void; signal: AbortSignal };

/**
 * Reads a file in chunks, so that it is never in memory as a whole.
 * @throws DOMException AbortError when the signal fires
 */
export async function* readChunks(file: Blob, { onBytes, signal }: Options): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += CHUNK_BYTES) {
    yield new Uint8Array(await file.slice(at, at + CHUNK_BYTES).arrayBuffer());
    onBytes(Math.min(file.size, at + CHUNK_BYTES));
    await pause();
    signal.throwIfAborted();
  }
}
