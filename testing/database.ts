import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbedded } from "@/db/embedded/embedded";
import { migrate } from "@/db/migrate";

declare module "vitest" {
  interface ProvidedContext {
    databaseUrl: string;
    adminDatabaseUrl: string;
    ownerDatabaseUrl: string;
  }
}

type Urls = { ownerUrl: string; appUrl: string; adminUrl: string };

function given(): Urls | undefined {
  const { TEST_OWNER_DATABASE_URL, TEST_DATABASE_URL, TEST_ADMIN_DATABASE_URL } = process.env;
  if (!TEST_OWNER_DATABASE_URL || !TEST_DATABASE_URL || !TEST_ADMIN_DATABASE_URL) return;
  return { ownerUrl: TEST_OWNER_DATABASE_URL, appUrl: TEST_DATABASE_URL, adminUrl: TEST_ADMIN_DATABASE_URL };
}

/**
 * One temporary, migrated PostgreSQL for a run of database tests; or the one in TEST_OWNER_DATABASE_URL,
 * TEST_DATABASE_URL and TEST_ADMIN_DATABASE_URL. Tests get its addresses under these names.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = given();
  const folder = external ? undefined : mkdtempSync(join(tmpdir(), "trailmark-test-"));
  const embedded = folder
    ? await startEmbedded(folder, { durable: false, settings: { max_connections: "200" } })
    : undefined;
  const urls = external ?? embedded;
  const clean = async () => {
    await embedded?.stop();
    for (const path of [embedded?.cluster, folder]) if (path) rmSync(path, { recursive: true, force: true });
  };
  try {
    if (!urls) throw new Error("no database to test with");
    await migrate({ ...urls, citus: process.env.TRAILMARK_CITUS === "on" });
    process.env.TEST_OWNER_DATABASE_URL = urls.ownerUrl;
    process.env.TEST_DATABASE_URL = urls.appUrl;
    process.env.TEST_ADMIN_DATABASE_URL = urls.adminUrl;
    project.provide("databaseUrl", urls.appUrl);
    project.provide("adminDatabaseUrl", urls.adminUrl);
    project.provide("ownerDatabaseUrl", urls.ownerUrl);
  } catch (error) {
    await clean();
    throw error;
  }
  return async () => {
    if (!external)
      for (const name of ["TEST_OWNER_DATABASE_URL", "TEST_DATABASE_URL", "TEST_ADMIN_DATABASE_URL"])
        delete process.env[name];
    await clean();
  };
}
