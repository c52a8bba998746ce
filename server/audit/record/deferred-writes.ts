import type { Segment } from "./segment";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

type Frames = Map<Segment, string[]>;

/** Frames that are written off the event loop: those of one turn together, one write after the other. */
export class DeferredWrites {
  /** The frames of the next write. */
  #forming: Frames | null = null;
  #last: Promise<void> = Promise.resolve();
  #inFlight = 0;

  /** @param write never rejects */
  constructor(private readonly write: (segment: Segment, frames: string[]) => Promise<void>) {}

  add(segment: Segment, frames: string): void {
    this.#forming ??= this.#start();
    const others = this.#forming.get(segment);
    if (others) others.push(frames);
    else this.#forming.set(segment, [frames]);
  }

  /** Resolves when all frames added so far have been handed to the kernel; null when they have been. */
  done(): Promise<void> | null {
    return this.#inFlight > 0 ? this.#last : null;
  }

  #start(): Frames {
    const forming: Frames = new Map();
    this.#inFlight += 1;
    this.#last = this.#last.then(tick).then(async () => {
      this.#forming = null;
      for (const [segment, frames] of forming) await this.write(segment, frames);
      this.#inFlight -= 1;
    });
    return forming;
  }
}
