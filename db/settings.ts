/** Database settings of this process, by environment variable. */
export type DatabaseSettings = {
  DATABASE_URL: string;
  DATABASE_DIRECT_URL?: string | undefined;
  DATABASE_READ_URL?: string | undefined;
  DATABASE_POOL_SIZE: number;
  DATABASE_PREPARE: boolean;
  TRAILMARK_CITUS: boolean;
  AUDIT_ADMIN_DATABASE_URL?: string | undefined;
};

/** Passes the settings in once, from the module that reads the environment. Connections open on first use. */
export function configureDatabase(read: () => DatabaseSettings): void {
  current = read;
}
let current: (() => DatabaseSettings) | undefined;

/** @throws Error in a process that never read its environment */
export function databaseSettings(): DatabaseSettings {
  if (!current) throw new Error("The database settings were not passed in: import server/ground/env first.");
  return current();
}
