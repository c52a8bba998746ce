/** How much of something each key holds at the moment; keys that hold nothing are not remembered. */
export class Holdings {
  readonly #held = new Map<string, number>();

  of(key: string): number {
    return this.#held.get(key) ?? 0;
  }

  /** @returns releases it, once */
  hold(key: string, amount = 1): () => void {
    this.#held.set(key, this.of(key) + amount);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = this.of(key) - amount;
      if (left > 0) this.#held.set(key, left);
      else this.#held.delete(key);
    };
  }
}
