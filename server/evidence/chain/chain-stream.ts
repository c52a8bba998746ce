import { availableParallelism } from "node:os";
import type postgres from "postgres";
import type { Tenant } from "@/db/client";
import { connectApp, directUrl } from "@/db/connect";
import { type CopyOptions, drain } from "@/db/copy/drain";
import { survivable } from "@/db/survive";
import { gauge } from "@/server/ground/background/metrics";
import { Concurrency } from "@/server/ground/limits/concurrency";

/**
 * Long reads of whole chains use their own connection, because a pooled one must not be held for minutes, and one
 * repeatable-read snapshot, so that rows and head match despite writes.
 */

const STATEMENT_TIMEOUT = "30min";
/** The connection that holds the snapshot idles while threads read in it, for minutes on a long chain. */
const IDLE_TIMEOUT = "30min";

export type ChainReader = {
  sql: postgres.TransactionSql;
  /** Pipes a COPY … TO STDOUT into a reader; resolves at its end. `ready` lets a slow consumer apply backpressure. */
  copy: (query: string, push: (chunk: Buffer) => void, options?: CopyOptions) => Promise<void>;
};

/**
 * Runs fn in one snapshot of a tenant's rows on a separate connection.
 * @param snapshot of another transaction that is still open; by default a new one
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
      // Separate messages, because a distributed database forwards each to its nodes. Sent without waiting, so that the
      // transaction is never idle in between.
      await Promise.all(
        [
          // Must precede any access to rows.
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
            // An abandoned COPY leaves the connection in the middle of it, where no ROLLBACK gets through.
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
 * Connections beside the pool by purpose, so that none blocks the others: whole chains; short reads (a part, a count,
 * signing a checkpoint); downloads, as slow as their clients.
 */
const POOLS = { whole: new Concurrency(2), short: new Concurrency(2), download: new Concurrency(4) };
export type ReaderPool = keyof typeof POOLS;

/** Maximum of threads: each also keeps a database process busy. */
const MAX_THREADS = 4;
/** Threads that read parts of long chains, each with a connection; shared by all readings. */
export const THREADS = new Concurrency(Math.min(availableParallelism(), MAX_THREADS));

const sumOf = (count: (pool: Concurrency) => number) => () =>
  [...Object.values(POOLS), THREADS].reduce((sum, pool) => sum + count(pool), 0);

/** Number of readings that wait for a connection of this kind. */
export const waitingReaders = (pool: ReaderPool): number => POOLS[pool].waiting;

/** True if a connection of this kind is free. */
export const hasFreeReader = (pool: ReaderPool): boolean => POOLS[pool].running < POOLS[pool].max;

/**
 * Runs fn in one snapshot of a tenant's rows on a separate connection, once one of its kind is free.
 * @param fn reads in the snapshot; its result is returned
 * @param signal cancels the wait for a connection; only fn can end a reading that has started
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
