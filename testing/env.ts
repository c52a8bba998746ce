import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, inject } from "vitest";
// Passes the settings to db, even if a test imports nothing from the server.
import "@/server/ground/env";
import { closeRoles } from "./chain";

const dataDir = join(tmpdir(), `data-${process.pid}`);
mkdirSync(dataDir, { recursive: true });

/** Environment of a test process: testing/database.ts's database, a data folder, fixed secrets. */
Object.assign(process.env, {
  DATABASE_URL: process.env.TEST_DATABASE_URL ?? inject("databaseUrl"),
  AUDIT_ADMIN_DATABASE_URL: process.env.TEST_ADMIN_DATABASE_URL ?? inject("adminDatabaseUrl"),
  DATABASE_POOL_SIZE: process.env.DATABASE_POOL_SIZE ?? "5",
  TRAILMARK_DATA_DIR: dataDir,
  NEXTAUTH_SECRET: "test-secret-test-secret-test-secret-test",
  NEXTAUTH_URL: "http://127.0.0.1:3000",
  LOG_LEVEL: process.env.LOG_LEVEL ?? "silent",
  NODE_ENV: "test",
});

afterAll(closeRoles);
