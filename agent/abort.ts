import { setMaxListeners } from "node:events";

/** A signal that follows another one, which can also end separately. */
export type Linked = { signal: AbortSignal; abort: (reason?: unknown) => void; release: () => void };

/**
 * A signal that is aborted with `outer`, directly, or after a time; to be released when its work is over.
 * AbortSignal.any would do, but on Node 20 a combined signal to which nothing else refers is garbage-collected and never fires.
 */
export function linkedTo(outer: AbortSignal, timeoutMs?: number): Linked {
  const controller = new AbortController();
  const abort = (reason?: unknown) => controller.abort(reason);
  const follow = () => abort(outer.reason);
  if (outer.aborted) follow();
  // A simulation has one listener a request.
  setMaxListeners(0, outer);
  outer.addEventListener("abort", follow, { once: true });
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => abort(new DOMException("The operation timed out", "TimeoutError")), timeoutMs);
  timer?.unref();
  return {
    signal: controller.signal,
    abort,
    release: () => {
      clearTimeout(timer);
      outer.removeEventListener("abort", follow);
    },
  };
}
