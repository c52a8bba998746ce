/** Repeats within this time become one entry, so that they do not fill the log. */
const FOLD_MS = 60_000;

const folds: { close: () => void }[] = [];

/** Writes the pending repeats of every fold, before recording ends. */
export function closeFolds(): void {
  for (const fold of folds) fold.close();
}

type Open<T> = { repeats: T | null; timer: NodeJS.Timeout };

/**
 * Folds repeated entries: the first of a key is written at once, later ones once a minute, until a minute passes
 * without any.
 */
export class Fold<T> {
  readonly #open = new Map<string, Open<T>>();

  /** @param merge combines two events of one key */
  constructor(
    private readonly write: (entry: T) => void,
    private readonly merge: (before: T, after: T) => T,
  ) {
    folds.push(this);
  }

  add(key: string, entry: T): void {
    const open = this.#open.get(key);
    if (open) open.repeats = open.repeats === null ? entry : this.merge(open.repeats, entry);
    else {
      this.write(entry);
      this.#watch(key);
    }
  }

  close(): void {
    for (const { repeats, timer } of this.#open.values()) {
      clearTimeout(timer);
      if (repeats !== null) this.write(repeats);
    }
    this.#open.clear();
  }

  #watch(key: string): void {
    this.#open.set(key, { repeats: null, timer: setTimeout(() => this.#endMinute(key), FOLD_MS).unref() });
  }

  #endMinute(key: string): void {
    const repeats = this.#open.get(key)?.repeats ?? null;
    this.#open.delete(key);
    if (repeats === null) return;
    this.write(repeats);
    this.#watch(key);
  }
}
