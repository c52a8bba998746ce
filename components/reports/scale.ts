const MAX_STEPS = 4;

/** Axis ticks from 0 to beyond the largest count: at most five integers, spaced by 1, 2 or 5 times a power of ten. */
export function ticksFor(largest: number): number[] {
  const least = Math.max(1, largest / MAX_STEPS);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5, 10].find((times) => times * power >= least) ?? 10);
  const steps = Math.max(1, Math.ceil(largest / step));
  return Array.from({ length: steps + 1 }, (_, at) => at * step);
}
