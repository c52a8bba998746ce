import { type SQL, sql } from "drizzle-orm";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { connectApp } from "./connect";
import { preparing } from "./hot-statements";
import { closeLookup } from "./lookup";
import * as schema from "./schema";
import { databaseSettings } from "./settings";
import { survivable } from "./survive";
import { traced } from "./traced";

/**
 * What row level security needs to know of a caller; a structural part of the server's Scope. It lets the platform's
 * operator (partnerId null) see the rows of their partners as well: only the queries' own conditions cut an operator down.
 */
export type Tenant =
  | { kind: "organization" | "partner"; orgIds: readonly string[]; partnerId: string | null }
  | { kind: "system" };

type Database = PostgresJsDatabase<typeof schema>;
/** A Drizzle transaction in which row level security sees one tenant. */
export type Tx = Parameters<Parameters<Database["transaction"]>[0]>[0];

/** A statement of postgres.js, not yet sent. */
export type Statement = postgres.PendingQuery<postgres.Row[]>;

/** The application role's connections: one pool a process. */
export function appSql(): postgres.Sql {
  pool ??= survivable(connectApp({ name: "trailmark", max: databaseSettings().DATABASE_POOL_SIZE, idle_timeout: 60 }));
  return pool;
}
let pool: postgres.Sql | undefined;

/** The application role's connections to a replica; undefined where DATABASE_READ_URL names none. */
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

function settingValues(scope: Tenant): { mode: string; orgIds: string; partnerId: string } {
  if (scope.kind === "system" || scope.partnerId === null) return { mode: "system", orgIds: "{}", partnerId: "" };
  return { mode: "", orgIds: `{${scope.orgIds.join(",")}}`, partnerId: scope.partnerId };
}

/**
 * What row level security reads, made for the transaction at hand. Prepared statements are planned for their values each
 * time: organizations differ by orders of magnitude. The request's id goes with them as a parameter, because a comment
 * would make each statement a different text, which nothing prepares; a pooler would carry it to other clients.
 */
function settingsOf(scope: Tenant): SQL {
  const { mode, orgIds, partnerId } = settingValues(scope);
  const { requestId } = traced.getStore() ?? {};
  const name =
    requestId && databaseSettings().DATABASE_PREPARE
      ? sql`, set_config('application_name', ${`trailmark request ${requestId}`}, true)`
      : sql``;
  return sql`SELECT set_config('trailmark.scope', ${mode}, true), set_config('trailmark.org_ids', ${orgIds}, true),
    set_config('trailmark.partner_id', ${partnerId}, true), set_config('plan_cache_mode', 'force_custom_plan', true)${name}`;
}

/**
 * The same where the tables are distributed: what a function sets stays on the coordinator, SET LOCAL goes with each
 * statement to other nodes, when it is a separate message.
 */
function travellingSettings(scope: Tenant): string[] {
  const { mode, orgIds, partnerId } = settingValues(scope);
  const settings = { "trailmark.scope": mode, "trailmark.org_ids": orgIds, "trailmark.partner_id": partnerId };
  return Object.entries(settings)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `SET LOCAL ${name} = '${value.replaceAll("'", "''")}'`);
}

/** Sends what row level security reads, before anything else of a transaction. */
async function sendSettings(tx: Tx, scope: Tenant): Promise<void> {
  if (!databaseSettings().TRAILMARK_CITUS) await tx.execute(settingsOf(scope));
  else {
    const plans = "SET LOCAL plan_cache_mode = force_custom_plan";
    await Promise.all([...travellingSettings(scope), plans].map((one) => tx.execute(sql.raw(one))));
  }
}

/**
 * Runs fn in one READ COMMITTED transaction in which row level security lets through the tenant's rows alone.
 * The settings are local to the transaction, so a pooled connection never carries one caller's into the next.
 */
export const tenant = <T>(scope: Tenant, fn: (tx: Tx) => Promise<T>): Promise<T> => inTenant(database(), scope, fn);

/** Transactions that run or wait for one of the pool's connections. */
export const transactions = { open: 0 };

async function inTenant<T>(on: Database, scope: Tenant, fn: (tx: Tx) => Promise<T>): Promise<T> {
  transactions.open++;
  const end = traced.getStore()?.begin?.("postgresql transaction");
  try {
    const result = await on.transaction(async (tx) => {
      // Sent first, not awaited alone: what fn sends follows it on the same connection, and fails where it fails.
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

/** tenant() on a replica, which refuses to write and may be behind: read.ts decides when that is right. */
export function replicaTenant<T>(replica: postgres.Sql, scope: Tenant, fn: (tx: Tx) => Promise<T>): Promise<T> {
  typedReplica ??= typedOn(replica);
  return inTenant(typedReplica, scope, fn);
}
let typedReplica: Database | undefined;

/**
 * tenant() for INSERT … SELECT statements alone: prepared, and a single one in one round trip instead of four (half the
 * cost of a small insert). Each must draw its rows FROM the CTE `tenant`, which makes the settings before the first row
 * is checked; one that does not is refused by row level security. Several are one transaction.
 * @param inserts each made by a function of the connection that will send it
 * @returns how many rows were inserted.
 */
export async function tenantInsert(scope: Tenant, inserts: ((sql: postgres.ISql) => Statement)[]): Promise<number> {
  if (databaseSettings().TRAILMARK_CITUS) return insertTravelling(scope, inserts);
  const { mode, orgIds, partnerId } = settingValues(scope);
  const send = (sql: postgres.ISql, insert: (sql: postgres.ISql) => Statement) => sql`
    WITH tenant AS MATERIALIZED (
      SELECT set_config('trailmark.scope', ${mode}, true), set_config('trailmark.org_ids', ${orgIds}, true),
        set_config('trailmark.partner_id', ${partnerId}, true))
    ${insert(sql)}`;
  const [only] = inserts;
  if (only && inserts.length === 1) return (await send(appSql(), only)).count;
  // The statements leave together, one behind the other on one connection: a single round trip.
  const results = await appSql().begin((tx) => inserts.map((insert) => send(tx, insert)));
  return results.reduce((sum, { count }) => sum + count, 0);
}

/** tenantInsert() where the tables are distributed: the CTE says nothing to the nodes that store the rows. */
async function insertTravelling(scope: Tenant, inserts: ((sql: postgres.ISql) => Statement)[]): Promise<number> {
  const results = await appSql().begin((tx) => [
    ...travellingSettings(scope).map((setting) => tx.unsafe(setting)),
    ...inserts.map((insert) => tx`WITH tenant AS (SELECT 1) ${insert(tx)}`),
  ]);
  return results.reduce((sum, { count }) => sum + (count ?? 0), 0);
}

/** The platform's own work (looking up a credential, background jobs): every organization. */
export const asSystem = <T>(fn: (tx: Tx) => Promise<T>): Promise<T> => tenant({ kind: "system" }, fn);

/** Ends the pool; at shutdown, after everything that writes has been awaited. */
export async function closeDatabase(): Promise<void> {
  await Promise.all([appSql().end({ timeout: 2 }), replicaPool?.end({ timeout: 1 }), closeLookup()]);
}
