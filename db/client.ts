import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { layout } from "./citus/layout";
import type { TenantInsert, TenantSettings } from "./citus/one-server";
import { connectApp } from "./connect";
import { closeLookup } from "./lookup";
import { retried } from "./retry";
import * as schema from "./schema";
import { databaseSettings } from "./settings";
import { survivable } from "./survive";
import { traced } from "./traced";

/**
 * The caller for row-level security; a structural part of the server's Scope. The platform's operator (partnerId null)
 * also sees rows of its partners: only the queries' own conditions limit an operator.
 */
export type Tenant =
  | { kind: "organization" | "partner"; orgIds: readonly string[]; partnerId: string | null }
  | { kind: "system" };

type Database = PostgresJsDatabase<typeof schema>;
/** A Drizzle transaction with the sight of one tenant. */
export type Tx = Parameters<Parameters<Database["transaction"]>[0]>[0];

/** An unsent postgres.js statement. */
export type Statement = postgres.PendingQuery<postgres.Row[]>;

/** The application role's connections: one pool per process. */
export function appSql(): postgres.Sql {
  pool ??= survivable(connectApp({ name: "trailmark", max: databaseSettings().DATABASE_POOL_SIZE, idle_timeout: 60 }));
  return pool;
}
let pool: postgres.Sql | undefined;

/** The application role's connections to a replica; undefined without DATABASE_READ_URL. */
export function replicaSql(): postgres.Sql | undefined {
  const { DATABASE_READ_URL: url, DATABASE_POOL_SIZE: max } = databaseSettings();
  if (!url) return;
  replicaPool ??= survivable(connectApp({ name: "trailmark reads", url, max, idle_timeout: 60, connect_timeout: 2 }));
  return replicaPool;
}
let replicaPool: postgres.Sql | undefined;

/** A pool as Drizzle sees it. */
const typedOn = (sql: postgres.Sql): Database =>
  drizzle(databaseSettings().DATABASE_PREPARE ? preparing(sql) : sql, { schema });

function database(): Database {
  typed ??= typedOn(appSql());
  return typed;
}
let typed: Database | undefined;

function settingValues(scope: Tenant): TenantSettings {
  if (scope.kind === "system" || scope.partnerId === null) return { mode: "system", orgIds: "{}", partnerId: "" };
  return { mode: "", orgIds: `{${scope.orgIds.join(",")}}`, partnerId: scope.partnerId };
}

/**
 * Sends the settings of row-level security first in a transaction; a pooler would carry an application name to other
 * clients.
 */
async function sendSettings(tx: Tx, scope: Tenant): Promise<void> {
  const requestId = databaseSettings().DATABASE_PREPARE ? traced.getStore()?.requestId : undefined;
  await Promise.all(
    layout()
      .tenantSettings(settingValues(scope), requestId)
      .map((one) => tx.execute(one)),
  );
}

/**
 * Runs fn in one READ COMMITTED transaction in which row-level security shows only the tenant's rows. The settings are
 * local to the transaction, so a pooled connection never carries them on. After a deadlock fn runs again, so it may
 * only change the database.
 */
export const tenant = <T>(scope: Tenant, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  retried(() => inTenant(database(), scope, fn));

/** Transactions that run or wait for a connection of the pool. */
export const transactions = { open: 0 };

async function inTenant<T>(on: Database, scope: Tenant, fn: (tx: Tx) => Promise<T>): Promise<T> {
  transactions.open++;
  const end = traced.getStore()?.begin?.("postgresql transaction");
  try {
    const result = await on.transaction(async (tx) => {
      // Not awaited: statements of fn follow on the same connection, and fail with it.
      const settings = sendSettings(tx, scope);
      const [, result] = await Promise.all([settings, fn(tx)]);
      return result;
    });
    end?.();
    return result;
  } catch (error) {
    end?.(error);
    throw error;
  } finally {
    transactions.open--;
  }
}

/** tenant() on a replica, which refuses writes and may lag: read.ts decides when to use it. */
export function replicaTenant<T>(replica: postgres.Sql, scope: Tenant, fn: (tx: Tx) => Promise<T>): Promise<T> {
  typedReplica ??= typedOn(replica);
  return inTenant(typedReplica, scope, fn);
}
let typedReplica: Database | undefined;

/**
 * tenant() for INSERT … SELECT statements: prepared, and a single one in one round trip. Each must select FROM the CTE
 * `tenant`; others are refused by row-level security. Several share a transaction.
 * @param inserts functions that create them on their connection
 * @returns number of rows inserted.
 */
export const tenantInsert = (scope: Tenant, inserts: TenantInsert[]): Promise<number> =>
  layout().insertAs(appSql(), settingValues(scope), inserts);

/** The platform's own work (looking up a credential, background jobs), with sight of every organization. */
export const asSystem = <T>(fn: (tx: Tx) => Promise<T>): Promise<T> => tenant({ kind: "system" }, fn);

/** Ends the pool; at shutdown, after all writers have finished. */
export async function closeDatabase(): Promise<void> {
  await Promise.all([appSql().end({ timeout: 2 }), replicaPool?.end({ timeout: 1 }), closeLookup()]);
}

/** Repetitions before a statement is worth a name in every connection. */
const HOT_FROM = 3;
/** Each takes memory in every connection of the pool. */
const MAX_HOT = 256;
const MAX_SEEN = 2_048;
const MAX_CHARS = 16_384;

const seen = new Map<string, number>();
const hot = new Set<string>();

/** True if a statement should be prepared: it is repeated often, and there is room. */
function isHot(text: string): boolean {
  if (hot.has(text)) return true;
  if (hot.size >= MAX_HOT || text.length > MAX_CHARS) return false;
  const times = (seen.get(text) ?? 0) + 1;
  if (times < HOT_FROM) {
    if (seen.size >= MAX_SEEN) seen.clear();
    seen.set(text, times);
    return false;
  }
  seen.delete(text);
  hot.add(text);
  return true;
}

type Work = (tx: postgres.TransactionSql) => unknown;

/**
 * A pool whose transactions prepare frequent statements. For unprepared ones the driver first requests the parameter
 * types: another round trip, and another parse each time.
 */
function preparing(sql: postgres.Sql): postgres.Sql {
  const prepared = (tx: postgres.TransactionSql): postgres.TransactionSql => {
    const { unsafe } = tx;
    const send: typeof unsafe = (text, parameters, options) =>
      unsafe(text, parameters, { ...options, prepare: isHot(text) });
    return Object.assign(tx, { unsafe: send });
  };
  const begin = (work: Work) => sql.begin((tx) => work(prepared(tx)));
  return new Proxy(sql, { get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)) });
}
