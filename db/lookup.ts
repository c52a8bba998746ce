import type postgres from "postgres";
import { takesNoWrites } from "./away";
import { connectApp } from "./connect";
import { databaseSettings } from "./settings";
import { survivable } from "./survive";

/**
 * A few connections of the application role that see every organization from their first moment, for the one query
 * that finds out who is calling. No transaction, no setting to make: one round trip of a prepared statement.
 * Behind a transaction pooler (DATABASE_PREPARE off) a connection keeps no settings.
 */
function lookupSql(): postgres.Sql {
  const connection: Record<string, string> = databaseSettings().DATABASE_PREPARE ? { "trailmark.scope": "system" } : {};
  // Behind a pooler each look-up is a transaction: one whose connection dies would leave the connection unusable.
  pool ??= survivable(connectApp({ name: "trailmark-lookup", max: 4, idle_timeout: 60, connection }));
  return pool;
}
let pool: postgres.Sql | undefined;

/** A database may take connections and answer nothing (frozen, its disk stuck): after so long callers are asked to retry. */
const SILENCE_MS = 4_000;
/** As long as the application role's statements may take. */
const MAX_WAIT_MS = 30_000;
/** When the latest of the reads that are waited for in time was answered. */
let answeredAt = Number.NEGATIVE_INFINITY;

/**
 * The answer to a read, or ETIMEDOUT where the database has been silent for that long. As long as it answers others, the
 * read only waits for its turn: in a crowd that is no sign of a database that is away.
 */
export function inTime<T>(answer: PromiseLike<T>, silenceMs = SILENCE_MS): Promise<T> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const giveUp = () => {
      if (isSettled) return;
      const now = performance.now();
      const left = Math.min(Math.max(began, answeredAt) + silenceMs, began + MAX_WAIT_MS) - now;
      if (left > 0) timer = setTimeout(look, left);
      else reject(Object.assign(new Error("the database did not answer in time"), { code: "ETIMEDOUT" }));
    };
    // After the sockets were read once more: it may be this process that stood still, with the answer there.
    const look = () => setImmediate(giveUp);
    let timer = setTimeout(look, silenceMs);
    const settled = () => {
      isSettled = true;
      clearTimeout(timer);
    };
    answer.then(
      (value) => {
        settled();
        answeredAt = performance.now();
        resolve(value);
      },
      (error) => {
        settled();
        reject(error);
      },
    );
  });
}

type Query<Row extends object> = (sql: postgres.ISql) => postgres.PendingQuery<Row[]>;

/** Runs one query with sight of every organization, before any tenant is known. Only server/identity/auth looks callers up. */
export async function lookUpAll<Row extends object>(query: Query<Row>): Promise<Row[]> {
  const sql = lookupSql();
  if (databaseSettings().DATABASE_PREPARE) return inTime(query(sql));
  let rows: Row[] = [];
  const both = sql.begin(async (tx) => {
    [, rows] = await Promise.all([tx`SELECT set_config('trailmark.scope', 'system', true)`, query(tx)]);
  });
  await inTime(both);
  return rows;
}

/** lookUpAll() for the one row that there can be. */
export async function lookUp<Row extends object>(query: Query<Row>): Promise<Row | undefined> {
  return (await lookUpAll(query))[0];
}

/**
 * lookUp() that notes, in the same round trip, that the credential is in use. A database that takes no writes still knows
 * who is calling: then nothing is noted.
 * @param note an UPDATE
 */
export async function lookUpNoting<Row extends object>(
  query: Query<Row>,
  note: Query<object>,
): Promise<Row | undefined> {
  try {
    return await lookUp<Row>((sql) => sql<Row[]>`WITH noted AS (${note(sql)}) ${query(sql)}`);
  } catch (error) {
    if (!takesNoWrites(error)) throw error;
    return lookUp(query);
  }
}

/** Whether the database answers, for doors that look nobody up. @throws Error that the database is away */
export async function requireAnswer(): Promise<void> {
  await lookUpAll((sql) => sql`SELECT 1`);
}

/** Ends the look-up connections, if there are any. */
export const closeLookup = (): Promise<void> => lookupSql().end({ timeout: 2 });
