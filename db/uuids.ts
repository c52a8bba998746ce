import { type SQL, sql } from "drizzle-orm";

/**
 * A list of uuids as one parameter in PostgreSQL's spelling. Of type uuid[] from the start: a cast from text would be
 * done again for every row.
 */
export const uuids = (ids: Iterable<string>): SQL => sql`${`{${[...ids].join(",")}}`}::uuid[]`;
