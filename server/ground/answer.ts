import type { z } from "zod";
import { isoTimes, keysOf } from "./records";

/**
 * Members of a row that an answer's schema names, times as ISO 8601. A column that the schema does not name, such as a
 * secret, cannot leak.
 */
export const answerOf = <S extends z.ZodObject, R extends object>({ shape }: S, row: R) => {
  const named = keysOf(row).filter((name) => Object.hasOwn(shape, name));
  const members = Object.fromEntries(named.map((name) => [name, row[name]]));
  return isoTimes(members as Pick<R, keyof S["shape"] & keyof R>);
};
