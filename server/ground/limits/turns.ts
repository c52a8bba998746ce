import { waitIn } from "./wait-in";

/** Work of which only so much runs at a time; the rest waits in the order in which it came. */
export class Turns {
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(readonly max: number) {}

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Does the work when its turn comes. @param signal ends the wait; the work itself must observe it from then on
   * @throws what the work throws, or the signal's reason
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#running < this.max) this.#running++;
    else await waitIn(this.#queue, { signal });
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
