import { availableParallelism } from "node:os";
import type { Tenant } from "@/db/client";
import { gauge } from "@/server/ground/background/metrics";
import { Concurrency } from "@/server/ground/limits/concurrency";
import { type ChainReader, readOnOwnConnection } from "./own-connection";

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
