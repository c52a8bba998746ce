import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { describeSchema } from "@/testing/api/describe-schema";
import { otherGuards } from "./guards";
import { migrate } from "./migrate";
import { OF_LATER } from "./version";

const database = `upgraded_${randomUUID().slice(0, 8)}`;
const at = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
const urls = {
  ownerUrl: at(inject("ownerDatabaseUrl"), database),
  appUrl: at(inject("databaseUrl"), database),
  adminUrl: at(inject("adminDatabaseUrl"), database),
};
const RELEASES = join(import.meta.dirname, "releases");
const server = postgres(inject("ownerDatabaseUrl"), { max: 1, onnotice: () => {} });
const owner = postgres(urls.ownerUrl, { max: 1, onnotice: () => {} });

/** Notes a migration that this version does not have. */
const noteMigration = (date: number) =>
  owner`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('unknown', ${date})`;

beforeAll(async () => {
  await server`CREATE DATABASE ${server(database)}`;
  await migrate(urls);
});
afterAll(async () => {
  await owner.end({ timeout: 5 });
  await server`DROP DATABASE ${server(database)} WITH (FORCE)`;
  await server.end({ timeout: 5 });
});

describe.each(readdirSync(RELEASES))("a database restored from %s", (file) => {
  const name = `released_${randomUUID().slice(0, 8)}`;
  const released = postgres(at(inject("ownerDatabaseUrl"), name), { max: 1, onnotice: () => {} });
  const app = postgres(at(inject("databaseUrl"), name), { max: 1, onnotice: () => {} });
  afterAll(async () => {
    await Promise.all([released.end({ timeout: 5 }), app.end({ timeout: 5 })]);
    await server`DROP DATABASE ${server(name)} WITH (FORCE)`;
  });

  it("is upgraded to the schema and guards of a new one, and keeps its sealed entries", async () => {
    await server`CREATE DATABASE ${server(name)}`;
    await released.unsafe(gunzipSync(readFileSync(join(RELEASES, file))).toString());
    const [ownerUrl, appUrl, adminUrl] = [urls.ownerUrl, urls.appUrl, urls.adminUrl].map((url) => at(url, name));
    await migrate({ ownerUrl, appUrl: String(appUrl), adminUrl });
    await released`SELECT set_config('search_path', 'public', false)`;
    expect(await describeSchema(released)).toEqual(await describeSchema(owner));
    expect(await otherGuards(app, { citus: false })).toEqual([]);
    const chains = await app.begin(async (tx) => {
      await tx`SET LOCAL trailmark.scope = 'system'`;
      return tx`SELECT max(a.chain_seq) = count(*) AND bool_and(a.checksum = audit_checksum(a)) AS sealed
        FROM audit_logs a GROUP BY a.org_id`;
    });
    expect(chains).toEqual([{ sealed: true }]);
  });
});

describe("a database migrated by a later version", () => {
  it("is served with a warning, because versions may run side by side", async () => {
    const warned: string[] = [];
    const warn = (line: string) => warned.push(line);
    await migrate({ ...urls, warn });
    expect(warned).toEqual([]);
    await noteMigration(4_102_444_800_000);
    await migrate({ ...urls, warn });
    await migrate({ appUrl: urls.appUrl, warn });
    expect(warned).toEqual([OF_LATER, OF_LATER]);
  });
});

describe("a database from before the first release", () => {
  it("is rejected with one sentence and left unchanged", async () => {
    await noteMigration(1_795_200_028_551);
    const before = await describeSchema(owner);
    for (const input of [urls, { appUrl: urls.appUrl }])
      await expect(migrate(input)).rejects.toThrow(/^The database was made by a build before version 1\.0\.0, .*\.$/);
    expect(await describeSchema(owner)).toEqual(before);
  });
});
