/** What waits is much from here on; less than this is gone in a moment. */
const MUCH = 50_000;
const SAMPLE_MS = 1_000;

/** Whether what waits for the database grows: it is much, and no less than a second ago, or at the last look before. */
export class Growth {
  #last = { waiting: 0, at: Number.NEGATIVE_INFINITY };
  #isGrowing = false;

  isGrowing(waiting: number, now = Date.now()): boolean {
    if (waiting < MUCH || now - this.#last.at >= SAMPLE_MS) {
      this.#isGrowing = waiting >= MUCH && waiting >= this.#last.waiting;
      this.#last = { waiting, at: now };
    }
    return this.#isGrowing;
  }
}
