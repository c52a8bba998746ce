import { mapValues } from "@/server/ground/records";
import type { World } from "./world";

/** What a figure must reach: at least min, or at most max. */
type Target = { min: number } | { max: number };

/** One line of the answer; several lines may belong to one row of the table of targets. */
export type Figure = {
  row: string;
  name: string;
  value: number;
  /** What the value was measured against, in the same run; null where only the value counts. */
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
  /** By default value / reference; "n times faster" of two durations is the other way round. */
  ratio?: number;
  target: Target;
  /** Further conditions of the row (memory, nothing refused). */
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

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export const percentile = (values: readonly number[], p: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))] ?? Number.NaN;

/**
 * Runs the sides in turn, A B A B …, each answering its own figure (a rate or a duration), and takes medians: what else
 * the machine does meanwhile falls on all of them. A first round warms up and does not count.
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

/** How long a call takes, in ms. */
export async function msOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Median ms of one call out of `times` in a row. */
export async function medianMsOf(times: number, work: () => Promise<unknown>): Promise<number> {
  const seen: number[] = [];
  for (let i = 0; i < times; i++) seen.push(await msOf(work));
  return median(seen);
}

/** Things a second. */
export async function rateOf(count: number, work: () => Promise<unknown>): Promise<number> {
  return (count * 1000) / (await msOf(work));
}

/** Things a second that `workers` loops do, each the next when its last is done, for so long. */
export async function rateWithin(ms: number, workers: number, work: () => Promise<unknown>) {
  const started = performance.now();
  let done = 0;
  const worker = async () => {
    for (; performance.now() - started < ms; done++) await work();
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return (done * 1000) / (performance.now() - started);
}

/** Runs `workers` loops that share the items, as so many producers or connections would. */
export async function inParallel<T>(workers: number, items: readonly T[], work: (item: T) => Promise<unknown>) {
  const waiting = items.values();
  const worker = async () => {
    for (let item = waiting.next(); !item.done; item = waiting.next()) await work(item.value);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** Watches this process's resident memory during `work`; answers the peak's growth in MB. */
export async function growthOf(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  await work().finally(() => clearInterval(watch));
  return (Math.max(peak, process.memoryUsage.rss()) - before) / 2 ** 20;
}
