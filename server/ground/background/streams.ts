const open = new Set<() => void>();

/** Registers a long-lived answer (command streams, live tail), so that shutdown can end it. */
export function trackStream(close: () => void): () => void {
  open.add(close);
  return () => open.delete(close);
}

const watchers = new Set<() => void>();
let changes = 0;

/** Number of access changes so far: compare to decide whether to check a caller again. */
export const callerChanges = (): number => changes;

/** Calls wake whenever a user's access has changed. */
export function watchCallers(wake: () => void): () => void {
  watchers.add(wake);
  return () => watchers.delete(wake);
}

/** Makes this process check its callers again. */
export function wakeWatchers(): void {
  changes++;
  for (const wake of [...watchers]) wake();
}

let notifyOthers = () => {};

/** Sets how other processes are notified of a change. */
export function notifyOthersBy(notify: () => void): void {
  notifyOthers = notify;
}

/** Call after a user's access change is committed: affected open answers end within moments. */
export function callersChanged(): void {
  wakeWatchers();
  notifyOthers();
}

export const openStreams = (): number => open.size;

/** Ends every open stream; clients reconnect elsewhere. */
export function closeStreams(): void {
  for (const close of [...open]) close();
}

/** Wakes the waiter; a notification without one is kept for the next wait. */
export class Signal {
  #isPending = false;
  #wake: () => void = () => {};

  readonly notify = (): void => {
    this.#isPending = true;
    this.#wake();
  };

  /** Drops a kept notification. */
  reset(): void {
    this.#isPending = false;
  }

  /** Waits for the next notification, at most `ms`. */
  async wait(ms?: number): Promise<void> {
    if (!this.#isPending)
      await new Promise<void>((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms).unref();
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#isPending = false;
  }
}
