import type postgres from "postgres";
import { takesNoWrites } from "./away";
import { connectApp } from "./connect";
import { databaseSettings } from "./settings";
import { survivable } from "./survive";

/**
 * Connections of the application role with permanent sight of every organization, for the query that identifies a
 * caller. No transaction and no settings: one round trip of a prepared statement. Behind a transaction pooler
 * (DATABASE_PREPARE off) connections keep no settings.
 */
function lookupSql(): postgres.Sql {
  const connection: Record<string, string> = databaseSettings().DATABASE_PREPARE ? { "trailmark.scope": "system" } : {};
  // Behind a pooler each look-up is a transaction, which would leave a dying connection unusable.
  pool ??= survivable(connectApp({ name: "trailmark-lookup", max: 4, idle_timeout: 60, connection }));
  return pool;
}
let pool: postgres.Sql | undefined;

/**
 * A database may accept connections without answering (frozen, its disk stuck): after this time callers are told to
 * retry.
 */
const SILENCE_MS = 4_000;
/** Time limit of the application role's statements. */
const MAX_WAIT_MS = 30_000;
/** Time of the latest answer to a timed read. */
let answeredAt = Number.NEGATIVE_INFINITY;

/**
 * The answer to a read, or ETIMEDOUT if the database has been silent for that long. While others are answered, the read
 * is only queued: a crowd is no sign of an unavailable database.
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
    // After another read of the sockets: this process itself may have stalled with the answer waiting.
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

/**
 * Runs one query with sight of every organization, before a tenant is known. Only for identifying callers in
 * server/identity/auth.
 */
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

/** lookUpAll() for at most one row. */
export async function lookUp<Row extends object>(query: Query<Row>): Promise<Row | undefined> {
  return (await lookUpAll(query))[0];
}

/**
 * lookUp() that also records the credential's use, in the same round trip. A database without writes still identifies
 * callers; then nothing is recorded.
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

/** Checks that the database answers, for doors without a look-up. @throws Error that the database is away */
export async function requireAnswer(): Promise<void> {
  await lookUpAll((sql) => sql`SELECT 1`);
}

/** Ends the look-up connections, if any. */
export const closeLookup = (): Promise<void> => lookupSql().end({ timeout: 2 });
