import postgres from "postgres";
import { databaseSettings } from "./settings";
import { poolSockets } from "./socket/pool-sockets";

type Options = {
  /** How many connections at most. */
  max?: number;
  /** DATABASE_URL unless given. */
  url?: string;
  /** The application name in pg_stat_activity. */
  name: string;
} & Omit<postgres.Options<Record<string, postgres.PostgresType>>, "max" | "prepare">;

/**
 * Where the application role reaches PostgreSQL itself, for what needs one session (LISTEN) or keeps one for long (whole
 * chains); the same as DATABASE_URL where no pooler is between.
 */
export const directUrl = (): string => databaseSettings().DATABASE_DIRECT_URL ?? databaseSettings().DATABASE_URL;

/**
 * The default waits up to 20 s after a restart of the database; clients are asked to retry within seconds. Attempts are
 * counted over all connections of a pool, so each soon waits for the longest, and a request needs several pools in turn.
 */
const soon = (attempt: number): number => Math.min(0.05 * 2 ** attempt, 0.25);

/** Members of a query that postgres.js 3.4 reads and its types leave out. */
type Sent = { options: { onexecute?: () => boolean } };

/**
 * Sends no statement before the answer to the one before it has come. Behind a statement without parameters postgres.js
 * sends the next without waiting, and one with parameters in two parts; pgbouncer takes its server away with the answer
 * to the first, gets the answer to the half of the second while no client is linked to that server, and closes both ("got
 * packet '1' from server when not linked"). Inside a transaction, which keeps its server, statements leave together. A
 * connection whose `onexecute` answers false takes no further statement until it is idle.
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
 * Connections of the application role, none of them open yet. Behind a pooler in transaction mode (DATABASE_PREPARE off)
 * nothing is prepared, and a connection keeps no settings.
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
