import { log } from "@/server/ground/log";
import { Signal } from "./streams";

/** Work that repeats in the background of this process. */
export type BackgroundLoop = {
  name: string;
  /** Starts with a run at once; no effect while it is started. */
  start: () => void;
  /** Aborts the signal of the running step and waits for the step to end. */
  stop: () => Promise<void>;
  /** Runs the step now, or once more when it is running. */
  notify: () => void;
};

/**
 * Runs a step again and again, the interval counted from the end of one run to the start of the next, so never two at
 * a time. A step that fails is logged, once for each new cause, and runs again like any other.
 * @param intervalMs a function where the pause depends on how the last run went
 */
export function backgroundLoop(
  name: string,
  intervalMs: number | (() => number),
  step: (stopping: AbortSignal) => Promise<void>,
): BackgroundLoop {
  const wake = new Signal();
  let abort: AbortController | null = null;
  let running = Promise.resolve();
  let lastFailure = "";

  async function run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      try {
        await step(stopping);
        lastFailure = "";
      } catch (error) {
        const failure = String(error);
        if (!stopping.aborted && failure !== lastFailure)
          log.warn({ err: error, loop: name }, "background work failed");
        lastFailure = failure;
      }
      if (!stopping.aborted) await wake.wait(typeof intervalMs === "number" ? intervalMs : intervalMs());
    }
  }

  return {
    name,
    notify: wake.notify,
    start() {
      if (abort) return;
      const started = new AbortController();
      abort = started;
      running = running.then(() => run(started.signal));
    },
    stop() {
      abort?.abort();
      abort = null;
      wake.notify();
      return running;
    },
  };
}

/**
 * Work whose runs are shared by their callers. Each call is answered by a run that began after it: the first call
 * starts one, all calls during a run share the next.
 */
export function sharedRuns<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  let next: Promise<T> | null = null;
  return function run(): Promise<T> {
    if (!running) {
      running = work().finally(() => {
        running = null;
      });
      return running;
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        return run();
      });
    return next;
  };
}
