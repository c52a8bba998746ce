/** When a wait in a queue ends with an error. */
export type WaitEnds = { signal: AbortSignal | undefined; timeoutMs?: number; onTimeout?: () => unknown };

/**
 * Waits in a queue until its entry is called.
 * @throws the signal's reason, or what onTimeout returns; the entry has then left the queue
 */
export function waitIn(queue: (() => void)[], { signal, timeoutMs, onTimeout }: WaitEnds): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const proceed = () => {
      settle();
      resolve();
    };
    const leave = (reason: unknown) => {
      settle();
      const at = queue.indexOf(proceed);
      if (at >= 0) queue.splice(at, 1);
      reject(reason);
    };
    const onAbort = () => leave(signal?.reason);
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => leave(onTimeout?.()), timeoutMs).unref();
    signal?.addEventListener("abort", onAbort, { once: true });
    queue.push(proceed);
  });
}
