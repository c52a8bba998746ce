import { type LogFunctionFactory, Logger, runMigrations } from "graphile-worker";
import { Pool } from "pg";
import type postgres from "postgres";
import { directUrl } from "./connect";

export const JOBS_SCHEMA = "graphile_worker";

/**
 * The library enables row-level security on its tables; their rows belong to no organization, so the application role
 * gets all.
 */
const RIGHTS = `
  GRANT USAGE ON SCHEMA ${JOBS_SCHEMA} TO trailmark_app;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${JOBS_SCHEMA} TO trailmark_app;
  REVOKE INSERT, UPDATE, DELETE ON ${JOBS_SCHEMA}.migrations FROM trailmark_app;
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${JOBS_SCHEMA} TO trailmark_app;
  DO $$
  DECLARE t text;
  BEGIN
    FOR t IN SELECT relname FROM pg_class WHERE relnamespace = '${JOBS_SCHEMA}'::regnamespace AND relrowsecurity LOOP
      CONTINUE WHEN EXISTS (
        SELECT FROM pg_policy
        WHERE polrelid = format('${JOBS_SCHEMA}.%I', t)::regclass AND polname = 'jobs_app');
      EXECUTE format('CREATE POLICY jobs_app ON ${JOBS_SCHEMA}.%I TO trailmark_app USING (true)', t);
    END LOOP;
  END
  $$`;

/** pg follows libpq's sslmode only if configured: require encrypts, verify-full also checks the certificate. */
function libpqUrl(url: string): string {
  const address = new URL(url);
  if (address.searchParams.has("sslmode")) address.searchParams.set("uselibpqcompat", "true");
  return address.href;
}

const silent = new Logger((() => () => {}) satisfies LogFunctionFactory);

/** Broken connections are replaced, so the pool handles their errors, in use or not. */
function poolOf(url: string, max: number): Pool {
  const pool = new Pool({ connectionString: libpqUrl(url), max, keepAlive: true, application_name: "trailmark jobs" });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Connections of the application role for the job library: one listens, the others take, end and renew jobs. */
export const jobPool = (): Pool => poolOf(directUrl(), 4);

/**
 * Migrates the job library's schema; writes nothing if it is current. For the application role, which cannot migrate,
 * this is a check.
 * @throws the driver's error, 42501 for a role that may not create what is missing
 */
export async function migrateJobs(url: string): Promise<void> {
  const pgPool = poolOf(url, 1);
  try {
    await runMigrations({ pgPool, schema: JOBS_SCHEMA, logger: silent });
  } finally {
    await pgPool.end();
  }
}

/** Installs schema and rights of the job library. @param sql the owner's connection */
export async function installJobs(sql: postgres.Sql, ownerUrl: string): Promise<void> {
  await migrateJobs(ownerUrl);
  await sql.unsafe(RIGHTS);
}
