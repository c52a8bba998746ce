import { type SQL, sql } from "drizzle-orm";

const arrayText = (values: Iterable<string | number>): string => `{${[...values].join(",")}}`;

/**
 * uuids as one parameter in PostgreSQL's syntax. Typed uuid[], because a cast from text would be repeated for every
 * row.
 */
export const uuids = (ids: Iterable<string>): SQL => sql`${arrayText(ids)}::uuid[]`;

/** Integers as one parameter. */
export const ints = (numbers: Iterable<number>): SQL => sql`${arrayText(numbers)}::int[]`;

/** Sequences as one parameter. */
export const bigints = (numbers: Iterable<number>): SQL => sql`${arrayText(numbers)}::bigint[]`;

/** Texts as one parameter; the driver quotes them. */
export const textArray = (values: Iterable<string>): SQL => sql`${sql.param([...values])}::text[]`;
