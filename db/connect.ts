import postgres from "postgres";
import { databaseSettings } from "./settings";
import { poolSockets } from "./socket/pool-sockets";

type Options = {
  max?: number;
  /** DATABASE_URL unless given. */
  url?: string;
  /** The application name in pg_stat_activity. */
  name: string;
} & Omit<postgres.Options<Record<string, postgres.PostgresType>>, "max" | "prepare">;

/**
 * Direct address of PostgreSQL for the application role, for work that needs a session (LISTEN) or keeps one for long
 * (whole chains); equals DATABASE_URL without a pooler.
 */
export const directUrl = (): string => databaseSettings().DATABASE_DIRECT_URL ?? databaseSettings().DATABASE_URL;

/**
 * The default waits up to 20 s after a restart of the database, but clients retry within seconds. Attempts are counted
 * over all connections of a pool, so each soon has the longest wait, and a request needs several pools.
 */
const soon = (attempt: number): number => Math.min(0.05 * 2 ** attempt, 0.25);

/** Query members that postgres.js 3.4 reads but does not declare. */
type Sent = { options: { onexecute?: () => boolean } };

/**
 * Sends each statement only after the previous answer. After a statement without parameters postgres.js sends the next
 * without waiting, and one with parameters in two parts; pgbouncer releases the server after the first answer, receives
 * the answer to the half statement without a client, and closes both ("got packet '1' from server when not linked").
 * Inside a transaction, which keeps its server, statements are pipelined. A connection whose `onexecute` returns false
 * takes no further statement until idle.
 */
function oneByOne(sql: postgres.Sql): postgres.Sql {
  const alone = <Q>(query: Q): Q => {
    const { options } = query as Partial<Sent>;
    if (options) options.onexecute = () => false;
    return query;
  };
  const unsafe = (...args: Parameters<typeof sql.unsafe>) => alone(sql.unsafe(...args));
  return new Proxy(sql, {
    apply: (target, _, args) => alone(Reflect.apply(target, undefined, args)),
    get: (target, member) => (member === "unsafe" ? unsafe : Reflect.get(target, member)),
  });
}

/**
 * Connections of the application role, opened on demand. Behind a transaction pooler (DATABASE_PREPARE off) nothing is
 * prepared, and connections keep no settings.
 */
export function connectApp({
  name,
  url = databaseSettings().DATABASE_URL,
  connection,
  ...options
}: Options): postgres.Sql {
  const { DATABASE_PREPARE, DATABASE_DIRECT_URL } = databaseSettings();
  const pooled = !DATABASE_PREPARE && url !== DATABASE_DIRECT_URL;
  const sql = postgres(url, {
    prepare: !pooled,
    connect_timeout: 5,
    backoff: soon,
    ...{ socket: poolSockets() },
    onnotice: () => {},
    ...options,
    connection: { application_name: name, ...connection },
  });
  return pooled ? oneByOne(sql) : sql;
}
