/** Limit of an answer other than an event stream; real ones have less than a tenth. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Chunks of a body, reliably ended by the signal: after an answer's head, Node 20's fetch may lose its signal to
 * garbage collection, and a dead connection would be read indefinitely.
 */
export async function* chunksUntil(signal: AbortSignal, body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (let read = await reader.read(); !read.done && !signal.aborted; read = await reader.read()) yield read.value;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/** Reads an answer's whole text. @throws Error if it does not end, or not in time */
export async function textOf({ body }: Response, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ? chunksUntil(signal, body) : []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error("the server's answer is over 1 MiB");
    chunks.push(chunk);
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks).toString("utf8");
}
