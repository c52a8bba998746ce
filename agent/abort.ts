import { setMaxListeners } from "node:events";

/** A signal that follows another and can also be aborted on its own. */
export type Linked = { signal: AbortSignal; abort: (reason?: unknown) => void; release: () => void };

/**
 * A signal aborted with `outer`, directly, or after a time; release it when its work ends. Not AbortSignal.any: on Node
 * 20 a combined signal without references is garbage-collected and never fires.
 */
export function linkedTo(outer: AbortSignal, timeoutMs?: number): Linked {
  const controller = new AbortController();
  const abort = (reason?: unknown) => controller.abort(reason);
  const follow = () => abort(outer.reason);
  if (outer.aborted) follow();
  // A simulation has one listener per request.
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
