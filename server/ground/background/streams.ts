const open = new Set<() => void>();

/** Registers an answer that stays open (agents' command streams, live tail), so that shutdown can end it. */
export function trackStream(close: () => void): () => void {
  open.add(close);
  return () => open.delete(close);
}

const watchers = new Set<() => void>();
let changes = 0;

/** How often a user's access has changed: another number than before is a reason to look a caller up again. */
export const callerChanges = (): number => changes;

/** Calls wake whenever a user's access has changed: the callers of open answers have to be looked up again. */
export function watchCallers(wake: () => void): () => void {
  watchers.add(wake);
  return () => watchers.delete(wake);
}

/** Has this process look its callers up again. */
export function wakeWatchers(): void {
  changes++;
  for (const wake of [...watchers]) wake();
}

let notifyOthers = () => {};

/** How the other processes learn of a change, where there are any. */
export function notifyOthersBy(notify: () => void): void {
  notifyOthers = notify;
}

/** A user's access has changed, and the change is committed: open answers end within moments where they must. */
export function callersChanged(): void {
  wakeWatchers();
  notifyOthers();
}

export const openStreams = (): number => open.size;

/** Ends every open stream; their clients reconnect elsewhere. */
export function closeStreams(): void {
  for (const close of [...open]) close();
}

/** Wakes the one who waits; a notification without a waiter is kept for the next wait. */
export class Signal {
  #isPending = false;
  #wake: () => void = () => {};

  readonly notify = (): void => {
    this.#isPending = true;
    this.#wake();
  };

  /** Forgets a kept notification. */
  reset(): void {
    this.#isPending = false;
  }

  /** Until the next notification, at most `ms`. */
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
