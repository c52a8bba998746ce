/** The limit of an answer that is not an event stream; real ones have less than a tenth. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * A body's chunks, ended by the signal for sure: once the answer's head has come, Node 20's fetch may forget its signal
 * when memory is collected, and a dead connection would be read from indefinitely.
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

/** The whole of an answer's text. @throws Error for one without an end, or one that does not come to it in time */
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
