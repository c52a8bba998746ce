/** Wakes one who waits; a ring that comes while nobody waits is kept for the next wait. */
export class Bell {
  private hasRung = false;
  private wake: () => void = () => {};

  readonly ring = (): void => {
    this.hasRung = true;
    this.wake();
  };

  /** Until the next ring, at most so long. */
  async wait(ms: number): Promise<void> {
    if (!this.hasRung)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.hasRung = false;
  }
}
