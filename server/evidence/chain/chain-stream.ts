import { availableParallelism } from "node:os";
import type postgres from "postgres";
import type { Tenant } from "@/db/client";
import { connectApp, directUrl } from "@/db/connect";
import { type CopyOptions, drain } from "@/db/copy/drain";
import { survivable } from "@/db/survive";
import { gauge } from "@/server/ground/background/metrics";
import { Concurrency } from "@/server/ground/limits/concurrency";

/**
 * Long reads of whole chains: their own connection (a pool must not be held for minutes), one repeatable-read
 * snapshot, so that rows and head belong together however much is written meanwhile.
 */

const STATEMENT_TIMEOUT = "30min";
/** The reading that keeps the snapshot says nothing while threads read in it, for minutes where a chain is long. */
const IDLE_TIMEOUT = "30min";

export type ChainReader = {
  sql: postgres.TransactionSql;
  /** Pipes a COPY … TO STDOUT into a reader; resolves at its end. `ready` lets a slow consumer make it wait. */
  copy: (query: string, push: (chunk: Buffer) => void, options?: CopyOptions) => Promise<void>;
};

/**
 * Runs fn in one snapshot of a tenant's rows on a separate connection.
 * @param snapshot that of another reading, which must still be open; by default a new one
 */
export async function readOnOwnConnection<T>(
  tenant: Tenant,
  fn: (reader: ChainReader) => Promise<T>,
  snapshot?: string,
): Promise<T> {
  const sql = survivable(connectApp({ name: "trailmark chain", max: 1, max_lifetime: null, url: directUrl() }));
  try {
    return (await sql.begin("isolation level repeatable read read only", async (tx) => {
      const orgIds = tenant.kind === "system" ? "{}" : `{${tenant.orgIds.join(",")}}`;
      // Each a separate message, which on a distributed database goes to the other nodes too. None waits for the answer
      // to the one before: the transaction is not idle in between.
      await Promise.all(
        [
          // Before anything that looks at a row.
          snapshot && `SET TRANSACTION SNAPSHOT '${snapshot.replace(/[^0-9A-F-]/gi, "")}'`,
          `SET LOCAL idle_in_transaction_session_timeout = '${IDLE_TIMEOUT}'`,
          `SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`,
          `SET LOCAL trailmark.scope = '${tenant.kind === "system" ? "system" : ""}'`,
          `SET LOCAL trailmark.org_ids = '${orgIds.replaceAll("'", "''")}'`,
        ]
          .filter((text) => text !== undefined)
          .map((text) => tx.unsafe(text)),
      );
      return fn({
        sql: tx,
        copy: async (query, push, options) => {
          try {
            await drain(await tx.unsafe(query).readable(), push, options);
          } catch (error) {
            // A COPY given up half-way leaves the connection in the middle of it: no ROLLBACK gets through.
            void sql.end({ timeout: 0 });
            throw error;
          }
        },
      });
    })) as T;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Connections beside the pool, by what they are for, so that none keeps the others waiting: readings of whole chains,
 * short ones (a part, a count, the signing of a checkpoint), downloads, which are as slow as their clients.
 */
const POOLS = { whole: new Concurrency(2), short: new Concurrency(2), download: new Concurrency(4) };
export type ReaderPool = keyof typeof POOLS;

/** As many cores as threads may have: each keeps one of the database's processes busy as well. */
const MAX_THREADS = 4;
/** Threads that read parts of long chains beside them, each on its own connection; together for all readings. */
export const THREADS = new Concurrency(Math.min(availableParallelism(), MAX_THREADS));

const sumOf = (count: (pool: Concurrency) => number) => () =>
  [...Object.values(POOLS), THREADS].reduce((sum, pool) => sum + count(pool), 0);

/** How many readings wait for a connection of this kind. */
export const waitingReaders = (pool: ReaderPool): number => POOLS[pool].waiting;

/** Whether a connection of this kind is free. */
export const hasFreeReader = (pool: ReaderPool): boolean => POOLS[pool].running < POOLS[pool].max;

/**
 * Runs fn in one snapshot of a tenant's rows on a separate connection, when one of its kind is free.
 * @param fn reads in the snapshot; what it returns is the result
 * @param signal gives up the wait for the connection; a reading that has begun is ended by fn alone
 */
export function readChain<T>(
  tenant: Tenant,
  fn: (reader: ChainReader) => Promise<T>,
  { pool = "short", signal }: { pool?: ReaderPool; signal?: AbortSignal | undefined } = {},
): Promise<T> {
  gauge(
    "trailmark_chain_readers",
    "Connections beside the pool that read chains",
    sumOf((pool) => pool.running),
  );
  gauge(
    "trailmark_chain_readers_waiting",
    "Readings of chains that wait for one",
    sumOf((pool) => pool.waiting),
  );
  return POOLS[pool].run(() => readOnOwnConnection(tenant, fn), signal);
}
