import type { z } from "zod";
import { keysOf } from "./records";

type Written<T> = T extends Date ? string : T;

/**
 * Members of a row that an answer's schema names, times as ISO 8601. A column that the schema does not name, such as a
 * secret, cannot leak.
 */
export const answerOf = <S extends z.ZodObject, R extends object>({ shape }: S, row: R) => {
  const names = keysOf(row).filter((name) => Object.hasOwn(shape, name));
  const written = names.map((name) => [name, row[name] instanceof Date ? row[name].toISOString() : row[name]]);
  return Object.fromEntries(written) as { [N in keyof S["shape"] & keyof R]: Written<R[N]> };
};
