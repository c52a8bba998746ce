import type { z } from "zod";

/** True for a parsed JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Object.keys with the record's key type. */
export const keysOf = <T extends object>(record: T) => Object.keys(record) as (keyof T & string)[];

/** Maps the values of a record. */
export const mapValues = <T extends object, V>(
  record: T,
  to: (value: T[keyof T & string], name: keyof T & string) => V,
) => Object.fromEntries(keysOf(record).map((name) => [name, to(record[name], name)])) as { [N in keyof T]: V };

type IsoTimes<T> = { [N in keyof T]: Date extends T[N] ? Exclude<T[N], Date> | string : T[N] };
/** A row in wire form: its times as ISO 8601. */
export const isoTimes = <T extends object>(row: T) =>
  mapValues(row, (value) => (value instanceof Date ? value.toISOString() : value)) as IsoTimes<T>;

/**
 * Members of a row that an answer's schema names, in wire form. A column that the schema does not name, such as a
 * secret, cannot leak.
 */
export const answerOf = <S extends z.ZodObject, R extends object>({ shape }: S, row: R) => {
  const named = keysOf(row).filter((name) => Object.hasOwn(shape, name));
  return isoTimes(fromKeys(named, (name) => row[name]) as unknown as Pick<R, keyof S["shape"] & keyof R>);
};

/** A record of these names with computed values. */
export const fromKeys = <N extends string, V>(names: readonly N[], toValue: (name: N) => V) =>
  Object.fromEntries(names.map((name) => [name, toValue(name)])) as Record<N, V>;

/** Groups items by key, in order of first items. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Item at an index modulo the length. @throws RangeError for an empty list */
export function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError("an empty list has no items");
  return item;
}
