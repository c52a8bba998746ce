import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { afterEach, expect, inject, it } from "vitest";
import { roles } from "@/testing/chain";
import { refuseUnsafeRole, UnsafeRoleError } from "./guard-role";

const created: string[] = [];

/** refuseUnsafeRole's message for an address. */
async function judge(url: string): Promise<string> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await refuseUnsafeRole(sql);
    return "accepted";
  } catch (error) {
    expect(error).toBeInstanceOf(UnsafeRoleError);
    return (error as Error).message;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** A new login with these attributes and memberships; its address. */
async function login(attributes: string, ...memberOf: string[]): Promise<string> {
  const name = `guard_${randomUUID().slice(0, 8)}`;
  created.push(name);
  await roles.owner.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD 'guard' ${attributes}`);
  for (const group of memberOf) await roles.owner.unsafe(`GRANT ${group} TO ${name}`);
  const url = new URL(inject("databaseUrl"));
  url.username = name;
  url.password = "guard";
  return url.href;
}

afterEach(async () => {
  for (const name of created.splice(0)) {
    await roles.owner.unsafe(`DROP OWNED BY ${name}`);
    await roles.owner.unsafe(`DROP ROLE ${name}`);
  }
});

it("accepts the application role and a login that is a member", async () => {
  expect(await judge(inject("databaseUrl"))).toBe("accepted");
  expect(await judge(await login("", "trailmark_app"))).toBe("accepted");
});

it("rejects a superuser, directly or by membership", async () => {
  expect(await judge(await login("SUPERUSER"))).toContain("is a superuser");
  const boss = await login("SUPERUSER");
  expect(await judge(await login("", "trailmark_app", new URL(boss).username))).toContain("is a superuser");
});

it("rejects a role that bypasses row level security", async () => {
  expect(await judge(await login("BYPASSRLS", "trailmark_app"))).toContain("bypasses row level security");
});

it("rejects the owner of an audit table and its members, with a fix", async () => {
  const [owner] = await roles.owner<{ name: string }[]>`
    SELECT pg_get_userbyid(relowner) AS name FROM pg_class WHERE oid = 'audit_logs'::regclass`;
  const complaint = await judge(await login("", "trailmark_app", owner?.name ?? ""));
  expect(complaint).toMatch(/owns .*audit_logs/);
  expect(complaint).toContain("TRAILMARK_OWNER_DATABASE_URL");
  expect(await judge(inject("ownerDatabaseUrl"))).toContain("could change history");
});

it("rejects the retention role and the sealer", async () => {
  expect(await judge(inject("adminDatabaseUrl"))).toContain("may prune");
  expect(await judge(await login("", "trailmark_app", "trailmark_sealer"))).toContain("may seal");
});
