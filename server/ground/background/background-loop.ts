import { log } from "@/server/ground/log";
import { Signal } from "./streams";

/** Repeated background work of this process. */
export type BackgroundLoop = {
  name: string;
  /** Starts with an immediate run; no effect if already started. */
  start: () => void;
  /** Aborts the running step and waits for it to end. */
  stop: () => Promise<void>;
  /** Runs the step now, or once more after the current run. */
  notify: () => void;
};

/**
 * Runs a step repeatedly, with the interval between end and next start, so never two at once. Failures are logged once
 * per new cause, and the loop continues.
 * @param intervalMs a function if the pause depends on the last run
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
 * Work with runs shared by callers. Each call gets a run that started after it: the first starts one, all calls during
 * a run share the next.
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
