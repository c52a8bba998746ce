import { writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, describe, expect, inject, it } from "vitest";
import { tempFolder } from "@/testing/temp-folder";
import {
  inCallOrder,
  installFunctions,
  isLater,
  readFunctions,
  type SqlFunction,
  staleFunctions,
  withSealer,
} from "./install-functions";
import { functionsOfVersion } from "./version";

const owner = postgres(inject("ownerDatabaseUrl"), { max: 1, onnotice: () => {} });
afterAll(() => owner.end({ timeout: 5 }));

const fn = (name: string, body: string, { more = "", version = "1.0.0" } = {}): SqlFunction => {
  const text = `CREATE OR REPLACE FUNCTION ${name}() RETURNS integer LANGUAGE sql SECURITY DEFINER RETURN ${body};\n${more}`;
  return { name, text, checksum: text, version };
};

/** Runs in a transaction of the owner that is undone. */
async function undone(work: (tx: postgres.TransactionSql) => Promise<void>): Promise<void> {
  const undo = new Error("undo");
  await expect(
    owner.begin(async (tx) => {
      await withSealer(tx, () => work(tx));
      throw undo;
    }),
  ).rejects.toBe(undo);
}

const rightsOf = async (tx: postgres.ISql, name: string) =>
  (
    await tx<{ grantee: string }[]>`
      SELECT a.grantee::regrole::text AS grantee FROM pg_proc f, aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a
      WHERE f.proname = ${name} AND f.proowner = 'trailmark_sealer'::regrole ORDER BY 1`
  ).map((row) => row.grantee);

describe("installFunctions", () => {
  it("makes the sealer own a function and grants it only to the roles in its file", () =>
    undone(async (tx) => {
      await installFunctions(tx, [fn("made_up", "1", { more: "GRANT EXECUTE ON FUNCTION made_up TO trailmark_app;" })]);
      expect(await rightsOf(tx, "made_up")).toEqual(["trailmark_app", "trailmark_sealer"]);
      await installFunctions(tx, [fn("made_up", "2")]);
      expect(await rightsOf(tx, "made_up")).toEqual(["trailmark_sealer"]);
    }));

  it("leaves the sealer without the right to create objects", async () => {
    await owner.begin((tx) => withSealer(tx, () => installFunctions(tx, [])));
    const [sealer] = await owner`SELECT has_schema_privilege('trailmark_sealer', 'public', 'CREATE') AS creates`;
    expect(sealer).toEqual({ creates: false });
  });

  it("creates callees before callers, whatever their names", () =>
    undone(async (tx) => {
      await installFunctions(tx, [fn("made_up_a", "made_up_z() + 1"), fn("made_up_z", "1")]);
      expect(await tx`SELECT made_up_a() AS n`).toEqual([{ n: 2 }]);
      expect(inCallOrder([fn("a", "b()"), fn("b", "a()")]).map(({ name }) => name)).toEqual(["b", "a"]);
    }));

  it("rejects a changed signature until a migration drops the old function", () =>
    undone(async (tx) => {
      await installFunctions(tx, [fn("made_up", "1")]);
      const changed = { ...fn("made_up", "1"), checksum: "changed" };
      changed.text = changed.text.replace("integer", "bigint");
      await expect(tx.savepoint((sp) => installFunctions(sp, [changed]))).rejects.toMatchObject({ code: "42P13" });
      await tx`DROP FUNCTION made_up`;
      await installFunctions(tx, await staleFunctions(tx, [changed]));
      expect(await tx`SELECT pg_typeof(made_up())::text AS type`).toEqual([{ type: "bigint" }]);
    }));
});

it("a process keeps its own functions when a later version's files are in its folder", () => {
  const folder = tempFolder();
  const file = join(folder, "made_up.sql");
  writeFileSync(file, "of this version");
  const own = readFunctions(folder, "1.0.0");
  writeFileSync(file, "of a later version");
  expect(readFunctions(folder, "1.1.0")).toEqual(own);
});

describe("staleFunctions", () => {
  it("finds none after migrating", async () => {
    expect(await staleFunctions(owner, functionsOfVersion())).toEqual([]);
  });

  it("names changed, new and dropped functions", () =>
    undone(async (tx) => {
      const [same, dropped] = [fn("made_up_same", "1"), fn("made_up_dropped", "1")];
      await installFunctions(tx, [same, dropped, fn("made_up_changed", "1")]);
      await tx`DROP FUNCTION made_up_dropped`;
      const wanted = [same, dropped, fn("made_up_changed", "2"), fn("made_up_new", "1")];
      const stale = await staleFunctions(tx, wanted);
      expect(stale.map(({ name }) => name)).toEqual(["made_up_dropped", "made_up_changed", "made_up_new"]);
    }));

  it("ignores functions of a later version", () =>
    undone(async (tx) => {
      await installFunctions(tx, [fn("made_up", "2", { version: "999.10.0" })]);
      expect(await staleFunctions(tx, [fn("made_up", "1", { version: "999.9.9" })])).toEqual([]);
      expect(await staleFunctions(tx, [fn("made_up", "1", { version: "999.11.0" })])).toHaveLength(1);
    }));

  it("compares versions numerically", () => {
    expect(isLater("0.110.0", "0.99.1")).toBe(true);
    expect(isLater("1.0.0", "1.0.0")).toBe(false);
    expect(isLater("0.9.0", "0.10.0")).toBe(false);
  });
});

describe("db/functions", () => {
  it("has one function per file, named after it, with its rule on top", () => {
    for (const { name, text } of functionsOfVersion()) {
      expect(text).toMatch(/^-- \S/);
      expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
      expect([...text.matchAll(/^CREATE OR REPLACE FUNCTION (\w+)\(/gm)].map(([, found]) => found)).toEqual([name]);
    }
  });
});
