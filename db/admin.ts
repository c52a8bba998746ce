import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Tx } from "./client";
import * as schema from "./schema";
import { databaseSettings } from "./settings";
import { survivable } from "./survive";

/** Time limit for telling the database that a run has ended. */
const END_MS = 1_000;

/** True if this installation can prune: the elevated role is configured. */
export const hasAdmin = (): boolean => databaseSettings().AUDIT_ADMIN_DATABASE_URL !== undefined;

export type Admin = {
  /** Transaction of the elevated role with sight of every organization; `prune` allows deleting expired rows. */
  transaction: <T>(fn: (tx: Tx) => Promise<T>, options?: { prune: boolean }) => Promise<T>;
  /** Takes a lock for the lifetime of the connection; false if another session holds it. */
  tryLock: (key: number) => Promise<boolean>;
  end: () => Promise<void>;
};

const settings = (prune: boolean): string[] => [
  "SET LOCAL trailmark.scope = 'system'",
  `SET LOCAL trailmark.prune = '${prune ? "on" : ""}'`,
  "SET LOCAL work_mem = '64MB'",
];

/**
 * Opens one connection of the elevated role for one retention run. It must not use a transaction pooler, because the
 * lock belongs to the session.
 * @throws Error when AUDIT_ADMIN_DATABASE_URL is not set
 */
export function openAdmin(): Admin {
  const { AUDIT_ADMIN_DATABASE_URL: url } = databaseSettings();
  if (!url) throw new Error("AUDIT_ADMIN_DATABASE_URL is not set");
  const connection = survivable(
    postgres(url, {
      max: 1,
      max_lifetime: null,
      connect_timeout: 5,
      connection: { application_name: "trailmark retention" },
      onnotice: () => {},
    }),
  );
  const database = drizzle(connection, { schema });
  return {
    transaction: (fn, options) =>
      database.transaction(async (tx) => {
        await Promise.all(settings(options?.prune ?? false).map((one) => tx.execute(sql.raw(one))));
        return fn(tx);
      }),
    tryLock: async (key) => {
      const [row] = await connection<{ got: boolean }[]>`SELECT pg_try_advisory_lock(${key}) AS got`;
      return row?.got ?? false;
    },
    end: async () => {
      // Unlocks explicitly, so that the next run need not wait for the server to end the session.
      const unlocked = connection`SELECT pg_advisory_unlock_all()`.catch(() => {});
      await Promise.race([unlocked, sleep(END_MS, undefined, { ref: false })]);
      await connection.end({ timeout: END_MS / 1_000 });
    },
  };
}
