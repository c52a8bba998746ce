import { itemAt, keysOf } from "@/server/ground/records";

/** Random draws from numbers in [0, 1). */
export function randomOf(next: () => number) {
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  const pick = <T>(items: readonly T[]): T => itemAt(items, Math.floor(next() * items.length));
  const chance = (share: number): boolean => next() < share;
  /** A random key by weight. */
  const weighted = <K extends string>(weights: Record<K, number>): K => {
    const keys = keysOf(weights);
    let left = next() * keys.reduce((sum, key) => sum + weights[key], 0);
    for (const key of keys) {
      left -= weights[key];
      if (left <= 0) return key;
    }
    return itemAt(keys, 0);
  };
  return { next, int, pick, chance, weighted };
}

export type Random = ReturnType<typeof randomOf>;

/** A seeded generator (mulberry32): equal seeds give equal worlds. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return randomOf(() => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  });
}
