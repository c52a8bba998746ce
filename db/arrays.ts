import { type SQL, sql } from "drizzle-orm";

const arrayText = (values: Iterable<string | number>): string => `{${[...values].join(",")}}`;

/**
 * A list of uuids as one parameter in PostgreSQL's spelling. Of type uuid[] from the start: a cast from text would be
 * done again for every row.
 */
export const uuids = (ids: Iterable<string>): SQL => sql`${arrayText(ids)}::uuid[]`;

/** A list of whole numbers likewise. */
export const ints = (numbers: Iterable<number>): SQL => sql`${arrayText(numbers)}::int[]`;

/** A list of sequences likewise. */
export const bigints = (numbers: Iterable<number>): SQL => sql`${arrayText(numbers)}::bigint[]`;

/** A list of texts as one parameter; the driver quotes them. */
export const textArray = (values: Iterable<string>): SQL => sql`${sql.param([...values])}::text[]`;
