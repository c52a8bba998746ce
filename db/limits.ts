import type postgres from "postgres";

/** Some statements take longer than this: long lists, searches, exports, pruning. */
const SHORTEST_TIMEOUT_S = 10;
/** Maximum connections of a process beside its pool: chain readers, jobs, notifications, recording. */
const BESIDE_POOL = 19;

type Limits = { name: string; timeout: number; slots: number; ofRole: number };

/**
 * Limits of a role in the database below this process's needs, as sentences for the operator.
 * @param sql the role's own connection
 * @param poolSize connections of its pool; 0 where a pooler opens them
 */
export async function tightLimits(sql: postgres.Sql, poolSize: number): Promise<string[]> {
  const [limits] = await sql<Limits[]>`
    SELECT current_user AS name, extract(epoch FROM current_setting('statement_timeout')::interval)::float AS timeout,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS slots,
      (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS "ofRole"`;
  if (!limits) return [];
  const { name, timeout, slots, ofRole } = limits;
  const [most, allowed] = [poolSize + BESIDE_POOL, ofRole < 0 ? slots : Math.min(slots, ofRole)];
  return [
    ...(timeout > 0 && timeout < SHORTEST_TIMEOUT_S
      ? [
          `statement_timeout of "${name}" is ${timeout} s: longer statements fail. ALTER ROLE ${name} SET statement_timeout = '30s'`,
        ]
      : []),
    ...(poolSize > 0 && allowed < most
      ? [
          `PostgreSQL lets "${name}" have ${allowed} connections, this process may open ${most}: raise max_connections, or lower DATABASE_POOL_SIZE`,
        ]
      : []),
  ];
}
