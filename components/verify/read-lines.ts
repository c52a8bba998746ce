/** So long the page may stand still at a time. */
const BUSY_MS = 24;

const pause = () => new Promise<void>((resume) => setTimeout(resume));

type Options = { onBytes: (read: number) => void; signal: AbortSignal };

/**
 * The lines of a file as they are read, without their newlines; a million rows are never in memory at once. Lets the
 * page draw and listen every few milliseconds.
 * @throws DOMException AbortError when the signal fires
 */
export async function* readLines(file: Blob, { onBytes, signal }: Options): AsyncGenerator<string> {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let read = 0;
  let since = performance.now();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = done ? "" : (lines.pop() ?? "");
      read += value?.length ?? 0;
      for (const [i, line] of lines.entries()) {
        if (done && i === lines.length - 1 && line === "") continue;
        yield line;
        if (performance.now() - since < BUSY_MS) continue;
        onBytes(read);
        await pause();
        signal.throwIfAborted();
        since = performance.now();
      }
      if (done) return;
    }
  } finally {
    void reader.cancel();
  }
}
