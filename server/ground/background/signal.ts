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
