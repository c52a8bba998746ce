/** Settings of a run. */
export type Input = {
  rounds: number;
  /** A full run has the machine to itself; a quick one shares it. */
  isFull: boolean;
  /** In a control something is broken, and the run has to catch it. */
  isBroken: boolean;
  random: () => number;
  /** Duration of a timed test, or of one with too many cases. */
  minutes: number;
  /** Reports the current step, for the message about a hung test. */
  progress: (what: string) => void;
};

/** `skipped`: nothing was tried, because this machine lacks what `detail` names. */
export type Outcome = { tried: number; failed: number; detail: string; skipped?: true };

const MAX_SHOWN = 10;

/** Everything that a run finds. */
export class Found {
  tried = 0;
  /** How much of the broken part of a control was found; by default its faults. */
  caught: number | undefined;
  readonly #notes: string[] = [];
  readonly #faults: string[] = [];
  failed = 0;

  note(...texts: string[]): void {
    this.#notes.push(...texts);
  }

  /** @param times how often it was found, for example the number of lost events */
  fault(text: string, times = 1): void {
    if (times > 0) this.#faults.push(text);
    this.failed += times;
  }

  faults(texts: Iterable<string>): void {
    for (const text of texts) this.fault(text);
  }

  /** Counts a case. */
  check(isRight: boolean, fault: string): void {
    this.tried++;
    if (!isRight) this.fault(fault);
  }

  /** The control within a line: something broken that has to be seen, without which the line's zero means nothing. */
  control(broken: string, seen: number, of = 1): void {
    this.note(`control, ${broken}: seen ${seen} of ${of}`);
    if (seen < of || of === 0) this.fault(`the control, ${broken}, was seen ${seen} times of ${of}`);
  }

  outcome(isControl = false): Outcome {
    if (this.tried === 0) this.fault("nothing was tried");
    const { caught = this.failed } = this;
    const kinds = [...new Set(this.#faults)];
    const shown = isControl ? [`caught ${caught}`, ...kinds] : kinds;
    const failed = isControl ? Number(caught === 0) : this.failed;
    return { tried: this.tried, failed, detail: [...this.#notes, ...shown.slice(0, MAX_SHOWN)].join("; ") };
  }
}

/** Attempts of a quick run at something too slow. */
const QUICK_TRIES = 3;

/** Repeats in a quick run an attempt that is only late: other work can delay any, but a slow product is slow in all. */
export async function retryLate<T>(
  { isFull }: Pick<Input, "isFull">,
  attempt: () => Promise<T>,
  isLate: (result: T) => boolean,
): Promise<T> {
  let result = await attempt();
  for (let n = 1; !isFull && n < QUICK_TRIES && isLate(result); n++) result = await attempt();
  return result;
}

/** Rounds of a quick and of a full run. A slow line or control runs in a quick one only by name. */
type Rounds = { quick: number; full: number; slow?: true };

/** A line of the suite, with its rounds. */
export type Line = Rounds & {
  id: string;
  title: string;
  /** Name of a requirement that this machine lacks. */
  lacks?: () => string | null;
  /** The same with something broken: the run has to catch it. */
  control?: Rounds & { title: string };
  run: (input: Input, found: Found) => Promise<unknown>;
};

/** A row of the torture table. */
export type Row = Rounds & { id: string; title: string; run: (input: Omit<Input, "isBroken">) => Promise<Outcome> };

/** The rows of a line: itself, and its control. */
export function rowsOf({ control, lacks = () => null, run, ...line }: Line): Row[] {
  const runAs = (isBroken: boolean) => async (input: Omit<Input, "isBroken">) => {
    const missing = lacks();
    if (missing !== null) return { tried: 0, failed: 0, skipped: true as const, detail: missing };
    const found = new Found();
    await run({ ...input, isBroken }, found);
    return found.outcome(isBroken);
  };
  const broken = control && { ...control, id: `${line.id}-control`, title: `control: ${control.title}` };
  return [{ ...line, run: runAs(false) }, ...(broken ? [{ ...broken, run: runAs(true) }] : [])];
}

/** Figures by name, in one line. */
export const listed = (figures: object): string =>
  Object.entries(figures)
    .map(([name, figure]) => `${name} ${figure}`)
    .join(", ");
