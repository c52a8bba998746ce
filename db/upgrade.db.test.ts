import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { describeSchema } from "@/testing/api/describe-schema";
import { migrate } from "./migrate";
import { OF_LATER } from "./version";

const database = `upgraded_${randomUUID().slice(0, 8)}`;
const at = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
const urls = {
  ownerUrl: at(inject("ownerDatabaseUrl"), database),
  appUrl: at(inject("databaseUrl"), database),
  adminUrl: at(inject("adminDatabaseUrl"), database),
};
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
