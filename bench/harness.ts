import { mapValues } from "@/server/ground/records";
import type { World } from "./world";

/** Target of a figure: at least min, or at most max. */
type Target = { min: number } | { max: number };

/** A line of results; a row of the table of targets may have several. */
export type Figure = {
  row: string;
  name: string;
  value: number;
  /** Reference measured in the same run; null if only the value counts. */
  reference: number | null;
  ratio: number;
  target: string;
  ok: boolean;
  unit: string;
  detail: string;
};

export type Bench = { rows: string[]; title: string; run: (world: World) => Promise<Figure[]> };

const rounded = (n: number): number => (Math.abs(n) >= 100 ? Math.round(n) : Number(n.toPrecision(3)));

type FigureInput = {
  row: string;
  name: string;
  unit: string;
  value: number;
  reference?: number | null;
  /** By default value / reference; inverted for "n times faster" of durations. */
  ratio?: number;
  target: Target;
  /** Further conditions of the row (memory, no refusals). */
  holds?: boolean;
  detail?: string;
};

export function figure(input: FigureInput): Figure {
  const { row, name, unit, value, reference = null, target, holds = true, detail = "" } = input;
  const ratio = input.ratio ?? (reference === null ? value : value / reference);
  const reached = "min" in target ? ratio >= target.min : ratio <= target.max;
  return {
    row,
    name,
    value: rounded(value),
    reference: reference === null ? null : rounded(reference),
    ratio: rounded(ratio),
    target: "min" in target ? `>= ${target.min}` : `<= ${target.max}`,
    ok: reached && holds && Number.isFinite(ratio),
    unit,
    detail,
  };
}

/** Sides of a comparison, or a value that counts alone. */
type Measured = Pick<FigureInput, "value" | "reference" | "ratio" | "holds" | "detail">;

/** Figures of a row, in one unit. */
export const figuresOf =
  (row: string, unit: string) =>
  (name: string, measured: Measured, target: Target): Figure =>
    figure({ row, unit, name, target, ...measured });

/** Durations of which the ratio says how many times faster the first is. */
export const timesFaster = ({ value, reference }: { value: number; reference: number }) => ({
  value,
  reference,
  ratio: reference / value,
});

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export const percentile = (values: readonly number[], p: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))] ?? Number.NaN;

/**
 * Runs the sides in turn, A B A B …, each returning its own figure (rate or duration), and takes medians, so that other
 * load affects all sides. The first round is a warm-up.
 */
export async function interleave<K extends string>(
  rounds: number,
  sides: Record<K, () => Promise<number>>,
  { warm = true } = {},
): Promise<Record<K, number>> {
  const seen = mapValues(sides, (): number[] => []);
  for (let round = warm ? -1 : 0; round < rounds; round++)
    for (const name in sides) {
      const answer = await sides[name]();
      if (round >= 0) seen[name].push(answer);
    }
  return mapValues(seen, median);
}

/** Duration of a call, in ms. */
export async function msOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Median duration of one of `times` consecutive calls, in ms. */
export async function medianMsOf(times: number, work: () => Promise<unknown>): Promise<number> {
  const seen: number[] = [];
  for (let i = 0; i < times; i++) seen.push(await msOf(work));
  return median(seen);
}

/** Things a second. */
export async function rateOf(count: number, work: () => Promise<unknown>): Promise<number> {
  return (count * 1000) / (await msOf(work));
}

/** Items per second by `workers` loops over a time. */
export async function rateWithin(ms: number, workers: number, work: () => Promise<unknown>) {
  const started = performance.now();
  let done = 0;
  const worker = async () => {
    for (; performance.now() - started < ms; done++) await work();
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return (done * 1000) / (performance.now() - started);
}

/** Runs `workers` loops that share the items, like producers or connections. */
export async function inParallel<T>(workers: number, items: readonly T[], work: (item: T) => Promise<unknown>) {
  const waiting = items.values();
  const worker = async () => {
    for (let item = waiting.next(); !item.done; item = waiting.next()) await work(item.value);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
