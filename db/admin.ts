import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Tx } from "./client";
import * as schema from "./schema";
import { databaseSettings } from "./settings";
import { survivable } from "./survive";

/** How long the database may take to hear that a run has ended. */
const END_MS = 1_000;

/** Whether this installation can prune: the elevated role is known. */
export const hasAdmin = (): boolean => databaseSettings().AUDIT_ADMIN_DATABASE_URL !== undefined;

export type Admin = {
  /** One transaction of the elevated role that sees every organization; `prune` lets it delete what has expired. */
  transaction: <T>(fn: (tx: Tx) => Promise<T>, options?: { prune: boolean }) => Promise<T>;
  /** Takes a lock that lives as long as the connection; false when another session holds it. */
  tryLock: (key: number) => Promise<boolean>;
  end: () => Promise<void>;
};

const settings = (prune: boolean): string[] => [
  "SET LOCAL trailmark.scope = 'system'",
  `SET LOCAL trailmark.prune = '${prune ? "on" : ""}'`,
  "SET LOCAL work_mem = '64MB'",
];

/**
 * Opens one connection of the elevated role, for one run of retention: nothing of it stays open between runs. It must
 * not go through a transaction pooler, for the lock belongs to the session.
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
      // Said, not left to the end of the session, which comes when the server gets to it: the next run finds it free.
      const unlocked = connection`SELECT pg_advisory_unlock_all()`.catch(() => {});
      await Promise.race([unlocked, sleep(END_MS, undefined, { ref: false })]);
      await connection.end({ timeout: END_MS / 1_000 });
    },
  };
}
