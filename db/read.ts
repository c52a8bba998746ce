import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { isDatabaseAway } from "./away";
import { appSql, replicaSql, replicaTenant, type Tenant, type Tx, tenant } from "./client";
import { wasInTheWay } from "./retry";

/** Destinations of reads: the replica, or the primary because the replica was behind or down. */
export const readsBy = { replica: 0, behind: 0, away: 0 };

/** Time that a read waits for the replica to catch up, before the primary answers. */
const CATCH_UP_MS = [0, 2, 5, 10, 20];
/** Time during which the replica is not tried after a failure. */
const AWAY_MS = 2_000;

let awayUntil = 0;

/** A WAL position of one cluster; meaningless for another. */
type LogPosition = { cluster: string; lsn: string };

/** WAL position up to which everything acknowledged is on the primary's disk. */
async function committedThrough(): Promise<LogPosition | undefined> {
  const [primary] = await appSql()<LogPosition[]>`
    SELECT system_identifier::text AS cluster, pg_current_wal_flush_lsn()::text AS lsn FROM pg_control_system()`;
  return primary;
}

/** True if the replica belongs to the cluster and shows everything before a WAL position, or soon does. */
async function hasCaughtUp(replica: postgres.Sql, { cluster, lsn }: LogPosition): Promise<boolean> {
  for (const ms of CATCH_UP_MS) {
    if (ms > 0) await sleep(ms);
    const [row] = await replica<{ done: boolean | null; standby: boolean; cluster: string }[]>`
      SELECT pg_is_in_recovery() AS standby, pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn AS done,
        system_identifier::text AS cluster FROM pg_control_system()`;
    // A promoted server, or one that never was a replica, must not be read.
    if (!row?.standby || row.cluster !== cluster) return false;
    if (row.done) return true;
  }
  return false;
}

async function tryReplica<T>(replica: postgres.Sql, work: () => Promise<T>): Promise<{ value: T } | undefined> {
  const place = await committedThrough();
  try {
    if (place && (await hasCaughtUp(replica, place))) {
      const value = await work();
      readsBy.replica++;
      return { value };
    }
    readsBy.behind++;
  } catch (error) {
    // Cancelled by the replica's recovery.
    const isCancelled = wasInTheWay(error);
    if (!isCancelled && !isDatabaseAway(error)) throw error;
    readsBy.away++;
    if (!isCancelled) awayUntil = Date.now() + AWAY_MS;
  }
  return;
}

/**
 * tenant() for reads: on the replica in DATABASE_READ_URL if it shows everything committed before the read by any
 * process, else on the primary. fn may run again on the primary if the replica fails meanwhile, so it must have no side
 * effects.
 */
export async function tenantRead<T>(scope: Tenant, fn: (tx: Tx) => Promise<T>): Promise<T> {
  const replica = Date.now() < awayUntil ? undefined : replicaSql();
  const read = replica && (await tryReplica(replica, () => replicaTenant(replica, scope, fn)));
  return read ? read.value : tenant(scope, fn);
}
