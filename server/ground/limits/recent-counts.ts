/** What happened counts for this second and the one before. */
const SECOND_MS = 1_000;
/** From this number of callers on, those without a recent count are forgotten. */
const MAX_CALLERS = 1_000;

type Counted = { since: number; before: number; count: number };

/** Counts how often each caller was refused, or failed, recently; its memory of a caller does not grow with that. */
export class RecentCounts {
  readonly #callers = new Map<string, Counted>();

  /** Callers remembered, for the tests. */
  get size(): number {
    return this.#callers.size;
  }

  note(key: string): void {
    if (this.#callers.size >= MAX_CALLERS && !this.#callers.has(key)) this.#forget();
    const { since, before, count } = this.#current(key);
    this.#callers.set(key, { since, before, count: count + 1 });
  }

  /** The count of the last one to two seconds. */
  of(key: string): number {
    const { before, count } = this.#current(key);
    return before + count;
  }

  #current(key: string): Counted {
    const now = performance.now();
    const found = this.#callers.get(key);
    const age = found ? now - found.since : Number.POSITIVE_INFINITY;
    if (!found || age >= 2 * SECOND_MS) return { since: now, before: 0, count: 0 };
    return age < SECOND_MS ? found : { since: found.since + SECOND_MS, before: found.count, count: 0 };
  }

  #forget(): void {
    for (const key of [...this.#callers.keys()]) if (this.of(key) === 0) this.#callers.delete(key);
    if (this.#callers.size >= MAX_CALLERS) this.#callers.clear();
  }
}
