/** Each refusal of a caller waits so much longer than the one before it that still waits. */
const LONGER_MS = 20;
const MAX_WAIT_MS = 5_000;
/** Connections that may be open for this alone; beyond, a refusal is answered at once. */
export const MAX_HELD = 1_000;

/** A refusal that is held back: `over` when it may be answered, which `letGo` brings about at once. */
type Held = { over: Promise<void>; letGo: () => void };

/**
 * Holds refusals back, so that a caller who comes back at once with hundreds of requests is refused some fifty times a
 * second and not some thousand times: parsing and refusing costs the thread that answers requests. One refusal alone
 * waits imperceptibly. Nothing is remembered of a caller of whom nothing is held.
 */
export class HeldRefusals {
  readonly #all = new Set<() => void>();
  readonly #counts = new Map<string, number>();
  #isEnding = false;

  /** How many are held, and of how many callers. */
  get state(): { held: number; callers: number } {
    return { held: this.#all.size, callers: this.#counts.size };
  }

  /** Holds one refusal of the caller. */
  hold(key: string): Held {
    if (this.#isEnding || this.#all.size >= MAX_HELD) return { over: Promise.resolve(), letGo: () => {} };
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const { promise, resolve } = withResolve();
    const letGo = () => {
      clearTimeout(timer);
      if (!this.#all.delete(letGo)) return;
      this.#leave(key);
      resolve();
    };
    const timer = setTimeout(letGo, Math.min(count * LONGER_MS, MAX_WAIT_MS));
    timer.unref();
    this.#all.add(letGo);
    return { over: promise, letGo };
  }

  #leave(key: string): void {
    const left = (this.#counts.get(key) ?? 1) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }

  /** Lets all of them go and holds nothing from now on: the server stops. */
  end(): void {
    this.#isEnding = true;
    for (const letGo of [...this.#all]) letGo();
  }
}

function withResolve(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
