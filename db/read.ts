import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { isDatabaseAway } from "./away";
import { appSql, replicaSql, replicaTenant, type Tenant, type Tx, tenant } from "./client";
import { wasInTheWay } from "./retry";

/** Where reads went: to the replica, or to the primary because the replica was behind or away. */
export const readsBy = { replica: 0, behind: 0, away: 0 };

/** For so long a read waits for the replica to catch up; the primary answers where that is not enough. */
const CATCH_UP_MS = [0, 2, 5, 10, 20];
/** After a failure the replica is not tried for so long. */
const AWAY_MS = 2_000;

let awayUntil = 0;

/** A place in the log of one cluster; its position alone says nothing of another cluster's. */
type LogPosition = { cluster: string; lsn: string };

/** Up to where everything is on the primary's disk, what was acknowledged included. */
async function committedThrough(): Promise<LogPosition | undefined> {
  const [primary] = await appSql()<LogPosition[]>`
    SELECT system_identifier::text AS cluster, pg_current_wal_flush_lsn()::text AS lsn FROM pg_control_system()`;
  return primary;
}

/** Whether the replica is one of that cluster and shows, or soon does, what is in the log before a place. */
async function hasCaughtUp(replica: postgres.Sql, { cluster, lsn }: LogPosition): Promise<boolean> {
  for (const ms of CATCH_UP_MS) {
    if (ms > 0) await sleep(ms);
    const [row] = await replica<{ done: boolean | null; standby: boolean; cluster: string }[]>`
      SELECT pg_is_in_recovery() AS standby, pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn AS done,
        system_identifier::text AS cluster FROM pg_control_system()`;
    // A server that was promoted, or never was a replica, is not the primary by being none.
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
    // By the replica's recovery.
    const isCancelled = wasInTheWay(error);
    if (!isCancelled && !isDatabaseAway(error)) throw error;
    readsBy.away++;
    if (!isCancelled) awayUntil = Date.now() + AWAY_MS;
  }
  return;
}

/**
 * tenant() for reads alone: on the replica that DATABASE_READ_URL names when it shows all that was committed when the
 * read began, by whichever process; else on the primary. fn may run a second time, on the primary, when the replica
 * fails under it, and so must have no effects.
 */
export async function tenantRead<T>(scope: Tenant, fn: (tx: Tx) => Promise<T>): Promise<T> {
  const replica = Date.now() < awayUntil ? undefined : replicaSql();
  const read = replica && (await tryReplica(replica, () => replicaTenant(replica, scope, fn)));
  return read ? read.value : tenant(scope, fn);
}
