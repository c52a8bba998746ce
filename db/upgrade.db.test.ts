import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { searchEntries } from "@/server/audit/entries/search";
import { appendAudit } from "@/server/audit/record/append";
import { searchInput } from "@/server/audit/schema";
import { verifyChain } from "@/server/evidence/chain/verify";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { systemCtx } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import { runRetention } from "@/server/retention/run";
import { describeSchema } from "@/testing/api/describe-schema";
import { auditRows } from "@/testing/chain";
import { advanceIndex } from "@/testing/search/advance-index";
import { closeDatabase } from "./client";
import { migrate } from "./migrate";
import { countMigrations, OF_LATER } from "./version";

/** A database that the last version with 24 migrations left behind; its owner there is trailmark_owner. */
const DUMP = readFileSync("testing/dumps/0.110.0.sql", "utf8");
/** The first migrations of this version stand for those 24. */
const REPLACING = 8;
const ORG = "0110000a-0000-4000-8000-000000000002";
const PRUNED_ORG = "0110000a-0000-4000-8000-000000000003";

const suffix = randomUUID().slice(0, 8);
const names = {
  upgraded: `upgraded_${suffix}`,
  fresh: `fresh_${suffix}`,
  unfinished: `unfinished_${suffix}`,
  between: `between_${suffix}`,
};
const at = (url: string, database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
const urlsOf = (database: string) => ({
  ownerUrl: at(inject("ownerDatabaseUrl"), database),
  appUrl: at(inject("databaseUrl"), database),
  adminUrl: at(inject("adminDatabaseUrl"), database),
});

async function withOwner<T>(database: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(urlsOf(database).ownerUrl, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const load = (database: string) =>
  withOwner(database, (sql) =>
    sql.unsafe(DUMP.replaceAll("trailmark_owner", `"${new URL(urlsOf(database).ownerUrl).username}"`)),
  );

beforeAll(async () => {
  const server = new URL(inject("ownerDatabaseUrl")).pathname.slice(1);
  await withOwner(server, async (sql) => {
    for (const name of Object.values(names)) await sql`CREATE DATABASE ${sql(name)}`;
  });
  await load(names.upgraded);
  Object.assign(env(), {
    DATABASE_URL: urlsOf(names.upgraded).appUrl,
    AUDIT_ADMIN_DATABASE_URL: urlsOf(names.upgraded).adminUrl,
  });
});
afterAll(async () => {
  await closeDatabase();
  const server = new URL(inject("ownerDatabaseUrl")).pathname.slice(1);
  await withOwner(server, async (sql) => {
    for (const name of Object.values(names)) await sql`DROP DATABASE ${sql(name)} WITH (FORCE)`;
  });
});

describe("a database with the 24 migrations of version 0.110.0", () => {
  it("is refused to the application until the owner has brought it to this version", async () => {
    await expect(migrate({ appUrl: urlsOf(names.upgraded).appUrl })).rejects.toThrow(
      /lacks (\d+ of \d+ migrations|.* text of \d+ functions)/,
    );
  });

  it("gets this version's functions, keeps its record of migrations and lacks nothing afterwards", async () => {
    const lines: string[] = [];
    await Promise.all([
      migrate({ ...urlsOf(names.upgraded), log: (line) => lines.push(line) }),
      migrate(urlsOf(names.upgraded)),
    ]);
    expect(lines.join()).not.toContain(`applying ${countMigrations()} `);
    await migrate({ appUrl: urlsOf(names.upgraded).appUrl });
    const [record] = await withOwner(
      names.upgraded,
      (sql) => sql`SELECT count(*)::int AS n FROM drizzle.__drizzle_migrations`,
    );
    expect(record).toEqual({ n: 24 + countMigrations() - REPLACING });
  });

  it("is then the same, object by object, as one that this version created", async () => {
    await migrate(urlsOf(names.fresh));
    const [upgraded, fresh] = await Promise.all([
      withOwner(names.upgraded, describeSchema),
      withOwner(names.fresh, describeSchema),
    ]);
    expect(upgraded.filter((line) => !fresh.includes(line))).toEqual([]);
    expect(fresh.filter((line) => !upgraded.includes(line))).toEqual([]);
    expect(fresh.length).toBeGreaterThan(1_000);
  });

  it("has its chains intact, row by row", async () => {
    const rows = await withOwner(names.upgraded, (sql) => sql`SELECT id, checksum FROM audit_logs`);
    expect(rows.length).toBe(62);
    for (const row of rows) expect(DUMP).toContain(`'${row.id}', `);
    for (const row of rows) expect(DUMP).toContain(`'${row.checksum}', `);
    expect(await verifyChain(systemCtx(), { orgId: ORG })).toMatchObject({
      status: "intact",
      firstSeq: 1,
      lastSeq: 53,
    });
    expect((await signCheckpoint(PRUNED_ORG)).kind).toBe("signed");
    expect(await verifyChain(systemCtx(), { orgId: PRUNED_ORG })).toMatchObject({
      status: "intact",
      firstSeq: 5,
      lastSeq: 13,
    });
  });

  it("finds its old rows by their text, indexed or not", async () => {
    const found = await searchEntries.run(systemCtx(), searchInput.parse({ q: "12345678901234567890.10" }));
    expect(found.data.length).toBeGreaterThan(10);
    expect(await advanceIndex(ORG)).not.toBeNull();
  });

  it("prunes as the retention role and continues appending to intact chains", async () => {
    const run = await runRetention({ orgIds: [ORG, PRUNED_ORG] });
    expect(run).toMatchObject({ status: "done", rows: 25 + 2 });
    const app = postgres(urlsOf(names.upgraded).appUrl, { max: 1, onnotice: () => {} });
    expect(await appendAudit(app, auditRows(ORG, 5))).toBe(5);
    await app.end();
    expect(await verifyChain(systemCtx(), { orgId: ORG })).toMatchObject({
      status: "intact",
      firstSeq: 26,
      lastSeq: 59,
    });
    expect(await verifyChain(systemCtx(), { orgId: PRUNED_ORG })).toMatchObject({ status: "intact", firstSeq: 7 });
  });
});

describe("a database with some of the 24 migrations", () => {
  it("is left alone, with the version that it has to be brought to first", async () => {
    await load(names.unfinished);
    const before = await withOwner(names.unfinished, async (sql) => {
      await sql`DELETE FROM drizzle.__drizzle_migrations WHERE created_at > 1795193215379`; // after 0015
      return describeSchema(sql);
    });
    for (const input of [urlsOf(names.unfinished), { appUrl: urlsOf(names.unfinished).appUrl }])
      await expect(migrate(input)).rejects.toThrow(
        /older than version 0\.110\.0[\s\S]+Start version 0\.110\.0 on it once/,
      );
    expect(await withOwner(names.unfinished, describeSchema)).toEqual(before);
  });
});

describe("a database that a build between two releases left behind", () => {
  it("gets a migration that came to this version later, under an earlier date than its newest", async () => {
    const { between } = names;
    await migrate(urlsOf(between));
    const whole = await withOwner(between, describeSchema);
    await withOwner(between, async (sql) => {
      await sql`DROP TABLE shared_limits`;
      await sql`DELETE FROM drizzle.__drizzle_migrations WHERE created_at = 1795200028571`; // 0020_shared_limits
    });
    await expect(migrate({ appUrl: urlsOf(between).appUrl })).rejects.toThrow("lacks 1 of");
    await migrate(urlsOf(between));
    await migrate({ appUrl: urlsOf(between).appUrl });
    expect(await withOwner(between, describeSchema)).toEqual(whole);
  });

  // What builds between releases had as migrations of their own: of these dates, and which of it is there.
  it.each([
    ["the alarms' column", "ALTER TABLE agents DROP COLUMN actor_id", [1795200028602]],
    ["the alarms' and the agents'", "SELECT", [1795200028602, 1795764760381]],
    ["the alarms' and the agents' in one", "SELECT", [1795764760381]],
  ])("gets what it lacks of a migration in which others went that it has: %s", async (_, undo, dates) => {
    const { between } = names;
    await migrate(urlsOf(between));
    const whole = await withOwner(between, describeSchema);
    await withOwner(between, async (sql) => {
      await sql.unsafe(undo);
      await sql`DROP INDEX audit_verifications_deciding_idx`;
      await sql`DELETE FROM drizzle.__drizzle_migrations WHERE created_at = 1795813949438`; // 0054_alarms_agents_runs
      for (const date of dates)
        await sql`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('of its own', ${date})`;
    });
    await migrate(urlsOf(between));
    await migrate({ appUrl: urlsOf(between).appUrl });
    expect(await withOwner(between, describeSchema)).toEqual(whole);
  });
});

describe("a database that a later version has migrated", () => {
  it("is served, because versions may run side by side, and said to be of a later one", async () => {
    const warned: string[] = [];
    const input = { ...urlsOf(names.fresh), warn: (line: string) => warned.push(line) };
    await migrate(input);
    expect(warned).toEqual([]);
    await withOwner(
      names.fresh,
      (sql) => sql`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('later', 4102444800000)`,
    );
    await migrate(input);
    await migrate({ appUrl: input.appUrl, warn: input.warn });
    expect(warned).toEqual([OF_LATER, OF_LATER]);
  });
});
