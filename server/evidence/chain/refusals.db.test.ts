import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { beforeAll, describe, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { signReceipt } from "@/server/evidence/checkpoints/receipts";
import { FIRST_WINDOW } from "@/server/evidence/tree/statement";
import {
  auditRow,
  auditRows,
  chainOf,
  daysAgo,
  expectIntact,
  headOf,
  insertRaw,
  inTenant,
  roles,
} from "@/testing/chain";
import { createOrg, createPartner } from "@/testing/factories";
import { keepFor, permit } from "@/testing/permit";

class Undo extends Error {}

// A managed database's owner is no superuser: it cannot take the sealer's functions or rights, let alone its rows.
const [owner] = await roles.owner<
  { super: boolean }[]
>`SELECT rolsuper AS super FROM pg_roles WHERE rolname = current_user`;
const asSuperuser = it.runIf(owner?.super);

/** Runs a statement as a role that sees every tenant, with the prune setting on, and takes it back if it passes. */
async function attempt(sql: postgres.Sql, statement: string): Promise<string> {
  try {
    await sql.begin(async (tx) => {
      await tx`SELECT set_config('trailmark.scope', 'system', true), set_config('trailmark.prune', 'on', true)`;
      await tx.unsafe(statement);
      throw new Undo();
    });
  } catch (error) {
    return error instanceof Undo ? "passed" : ((error as { code?: string }).code ?? String(error));
  }
  return "passed";
}

/** An organization with rows of these ages in days, in chain order; a receipt permits to remove all of them. */
async function orgWithRows(...ages: number[]): Promise<string> {
  const { id } = await createOrg();
  await appendAudit(
    roles.app,
    ages.map((age) => auditRow(id, { timestamp: daysAgo(age) })),
  );
  await permit(id, ages.length);
  return id;
}

const prune = (where: string, { setting = "on" } = {}) =>
  roles.admin.begin(async (tx) => {
    await tx`SELECT set_config('trailmark.prune', ${setting}, true)`;
    return (await tx.unsafe(`DELETE FROM audit_logs WHERE ${where}`)).count;
  });

const DENIED = "42501";
const NEVER = [
  "UPDATE audit_logs SET action = 'x'",
  "UPDATE audit_logs SET action = 'x' WHERE false",
  "UPDATE audit_logs SET chain_seq = 7, checksum = 'x', prev_checksum = 'y'",
  "UPDATE audit_logs SET seal_tx = NULL",
  "TRUNCATE audit_logs",
  "TRUNCATE audit_logs, audit_chain_heads CASCADE",
  "ALTER TABLE audit_logs DISABLE TRIGGER ALL",
  "ALTER TABLE audit_logs DISABLE TRIGGER audit_logs_seal",
  "ALTER TABLE audit_logs DISABLE ROW LEVEL SECURITY",
  "ALTER TABLE audit_logs NO FORCE ROW LEVEL SECURITY",
  "ALTER TABLE audit_logs OWNER TO CURRENT_USER",
  "ALTER TABLE audit_logs ADD COLUMN note text",
  "ALTER TABLE audit_logs RENAME TO elsewhere",
  "DROP TABLE audit_logs",
  "DROP TABLE audit_chain_heads",
  "DROP TRIGGER audit_logs_prune ON audit_logs",
  "DROP POLICY audit_logs_tenant ON audit_logs",
  "CREATE POLICY mine ON audit_logs USING (true)",
  "CREATE TRIGGER mine BEFORE INSERT ON audit_logs FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
  "CREATE RULE mine AS ON INSERT TO audit_logs DO INSTEAD NOTHING",
  "CREATE TABLE public.mine ()",
  "CREATE FUNCTION public.audit_mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
  "CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
  "ALTER FUNCTION audit_seal() SECURITY INVOKER",
  "GRANT UPDATE ON audit_logs TO PUBLIC; UPDATE audit_logs SET action = 'x'",
  "SET ROLE trailmark_sealer",
  "SET SESSION AUTHORIZATION trailmark_sealer",
  "GRANT trailmark_sealer TO CURRENT_USER",
  "ALTER ROLE CURRENT_USER BYPASSRLS",
  "SET session_replication_role = replica",
  "INSERT INTO audit_chain_heads (org_id, seq, checksum) VALUES (gen_random_uuid(), 1, 'x')",
  "UPDATE audit_chain_heads SET seq = 1",
  "DELETE FROM audit_chain_heads",
  "TRUNCATE audit_chain_heads",
  "DELETE FROM audit_retention_policies",
  "TRUNCATE audit_retention_policies",
  "UPDATE audit_retention_policies SET retention_days = 1",
  "SELECT audit_seal_transaction(pg_current_xact_id())",
  "SELECT audit_move_heads('{}', '{}', '{}', '{}')",
  "SELECT audit_self_test()",
  "SELECT audit_lock_key(gen_random_uuid())",
];
const COLUMNS = "org_id, actor_type, actor_id, action, resource_type, result";
const VALUES = "gen_random_uuid(), 'system', gen_random_uuid(), 'x', 'y', 'success'";
const APP_NEVER = [
  "LOCK TABLE audit_logs IN ACCESS EXCLUSIVE MODE",
  "DELETE FROM audit_logs",
  "DELETE FROM audit_logs WHERE false",
  `INSERT INTO audit_logs (${COLUMNS}, chain_seq) VALUES (${VALUES}, 1)`,
  `INSERT INTO audit_logs (${COLUMNS}, checksum) VALUES (${VALUES}, 'x')`,
  `INSERT INTO audit_logs (${COLUMNS}, prev_checksum) VALUES (${VALUES}, DEFAULT)`,
  `INSERT INTO audit_logs (${COLUMNS}, seal_tx) VALUES (${VALUES}, NULL)`,
  "COPY audit_logs FROM PROGRAM 'true'",
  "SELECT * FROM audit_chain_heads",
  "SET ROLE trailmark_audit_admin",
];
const ADMIN_NEVER = [
  `INSERT INTO audit_logs (${COLUMNS}) VALUES (${VALUES})`,
  "INSERT INTO audit_retention_policies (org_id) VALUES (gen_random_uuid())",
  "SET ROLE trailmark_app",
];

describe("forbidden statements", () => {
  beforeAll(() => orgWithRows(400, 1));

  it.each([...NEVER, ...APP_NEVER])("application role cannot: %s", async (statement) => {
    expect(await attempt(roles.app, statement)).toBe(DENIED);
  });

  it.each([...NEVER, ...ADMIN_NEVER])("retention role cannot: %s", async (statement) => {
    expect(await attempt(roles.admin, statement)).toBe(DENIED);
  });

  it.each([
    "UPDATE audit_logs SET action = 'x' WHERE false",
    "DELETE FROM audit_logs",
    "TRUNCATE audit_logs",
    "DELETE FROM audit_chain_heads",
  ])("even the owner cannot: %s", async (statement) => {
    expect(await attempt(roles.owner, statement)).toBe(DENIED);
  });

  asSuperuser("even the sealer cannot seal twice, unseal or alter a row", async () => {
    const asSealer = (statement: string) => attempt(roles.owner, `SET LOCAL ROLE trailmark_sealer; ${statement}`);
    expect(await asSealer("UPDATE audit_logs SET checksum = 'x'")).toBe(DENIED);
    expect(await asSealer("UPDATE audit_logs SET chain_seq = NULL")).toBe(DENIED);
    expect(await asSealer("UPDATE audit_logs SET action = 'x'")).toBe(DENIED);
    expect(await asSealer("DELETE FROM audit_logs")).toBe(DENIED);
  });

  it("chain guards are reported healthy", async () => {
    const [health] = await roles.app`SELECT audit_chain_health() AS faults`;
    expect(health?.faults).toEqual([]);
  });

  asSuperuser.each([
    [
      "ALTER TABLE audit_logs DISABLE TRIGGER audit_logs_seal",
      "trigger audit_logs_seal on audit_logs is missing or disabled",
    ],
    [
      "ALTER TABLE audit_chain_heads NO FORCE ROW LEVEL SECURITY",
      "row level security of audit_chain_heads is not forced",
    ],
    ["DROP POLICY audit_logs_sealer ON audit_logs", "policy audit_logs_sealer on audit_logs is missing"],
    ["CREATE POLICY mine ON audit_logs USING (true)", "policy mine on audit_logs is not ours"],
    [
      "ALTER FUNCTION audit_prune() OWNER TO CURRENT_USER",
      "function audit_prune is missing, not owned by trailmark_sealer or without its security settings",
    ],
    ["GRANT DELETE ON audit_logs TO trailmark_app", "trailmark_app has DELETE on audit_logs"],
    ["GRANT EXECUTE ON FUNCTION audit_seal() TO PUBLIC", "function audit_seal may be executed by everybody"],
    [
      "GRANT trailmark_sealer TO trailmark_app",
      "role trailmark_app is superuser, bypasses row level security or is a member of another one of ours",
    ],
  ])("chain health reports %s", async (statement, fault) => {
    const undone = roles.owner.begin(async (tx) => {
      await tx.unsafe(statement);
      const [health] = await tx`SELECT audit_chain_health() AS faults`;
      expect(health?.faults).toContain(fault);
      throw new Undo();
    });
    await expect(undone).rejects.toThrow(Undo);
  });

  asSuperuser("an insert fails if the sealer cannot see the row", async () => {
    const { id } = await createOrg();
    const blind = roles.owner.begin(async (tx) => {
      await tx`DROP POLICY audit_logs_sealer ON audit_logs`;
      await tx`SET CONSTRAINTS audit_logs_seal IMMEDIATE`;
      await insertRaw(tx, id);
    });
    await expect(blind).rejects.toThrow("could not be sealed");
    await expectIntact(id, 0);
  });
});

describe("row level security of the audit tables", () => {
  it("returns only the tenant's rows, and none without a tenant", async () => {
    const [mine, other] = [await orgWithRows(1, 1), await orgWithRows(1)];
    expect(await roles.app`SELECT id FROM audit_logs`).toEqual([]);
    expect(await roles.app`SELECT org_id FROM audit_retention_policies`).toEqual([]);
    await expect(insertRaw(roles.app, mine)).rejects.toMatchObject({ code: DENIED });
    await inTenant([mine], async (tx) => {
      expect((await tx`SELECT DISTINCT org_id FROM audit_logs`).map((row) => row.org_id)).toEqual([mine]);
    });
    await expect(inTenant([mine], (tx) => insertRaw(tx, other))).rejects.toMatchObject({ code: DENIED });
  });

  it("returns chain heads of the tenant's organizations only", async () => {
    const [mine, other] = [await orgWithRows(1, 1), await orgWithRows(1)];
    const asked = (tx: postgres.ISql) =>
      tx`SELECT org_id, seq FROM audit_chain_heads_of(${[mine, other]}::uuid[]) ORDER BY seq`;
    expect(await asked(roles.app)).toEqual([]);
    expect([...(await inTenant([mine], asked))]).toEqual([{ org_id: mine, seq: "2" }]);
    expect((await inTenant("system", asked)).length).toBe(2);
    expect([...(await inTenant([mine], (tx) => tx`SELECT * FROM audit_chain_head(${other})`))]).toEqual([]);
    const head = await headOf(mine);
    expect([...(await inTenant([mine], (tx) => tx`SELECT seq, checksum FROM audit_chain_head(${mine})`))]).toEqual([
      { seq: "2", checksum: head?.checksum },
    ]);
  });
});

describe("the retention policy", () => {
  it("defaults to 365 days for every organization, even one created by raw SQL", async () => {
    const { id: partner } = await createPartner();
    const id = randomUUID();
    await inTenant(
      "system",
      (tx) => tx`INSERT INTO organizations (id, partner_id, name, slug) VALUES (${id}, ${partner}, 'Raw', ${id})`,
    );
    const found = await inTenant(
      [id],
      (tx) => tx`SELECT retention_days, archive_to_s3, last_cleanup_at FROM audit_retention_policies`,
    );
    expect([...found]).toEqual([{ retention_days: 365, archive_to_s3: false, last_cleanup_at: null }]);
  });
});

describe("changing the retention policy", () => {
  const set = (orgIds: readonly string[] | "system", org: string) =>
    inTenant(orgIds, (tx) => tx`SELECT audit_set_retention(${org}::uuid, 30, '{"actorType": "system"}'::jsonb)`);

  it("fails for a foreign organization and without its audit entry", async () => {
    const [mine, other] = [(await createOrg()).id, (await createOrg()).id];
    await expect(set([mine], other)).rejects.toMatchObject({ code: DENIED });
    await expect(set([mine], mine)).rejects.toThrow("null value");
    const kept =
      await roles.admin`SELECT retention_days FROM audit_retention_policies WHERE org_id IN (${mine}, ${other})`;
    expect(kept.map((row) => row.retention_days)).toEqual([365, 365]);
  });
});

describe("pruning", () => {
  it("removes the oldest expired rows, leaves a receipt and continues the numbering", async () => {
    const org = await orgWithRows(500, 450, 400, 10, 5);
    const [, , last] = await chainOf(org);
    expect(await prune(`org_id = '${org}' AND chain_seq <= 3`)).toBe(3);
    const rows = await expectIntact(org, 3);
    expect(rows[0]?.prevChecksum).toBe(last?.checksum);
    expect(await headOf(org)).toMatchObject({ seq: "6", prunedThroughSeq: "3", prunedThroughChecksum: last?.checksum });
    const receipt = rows[2];
    expect(receipt).toMatchObject({
      action: "audit.retention.prune",
      actorType: "system",
      result: "success",
      chainSeq: "6",
    });
    expect(JSON.parse(receipt?.details ?? "")).toEqual({
      firstSeq: 1,
      lastSeq: 3,
      count: 3,
      lastChecksum: last?.checksum,
      retentionDays: 365,
    });
    await appendAudit(roles.app, auditRows(org, 2));
    await expectIntact(org, 5);
  });

  it("continues where it stopped, up to the end of the chain", async () => {
    const org = await orgWithRows(500, 450, 400);
    await prune(`org_id = '${org}' AND chain_seq = 1`);
    await prune(`org_id = '${org}' AND chain_seq BETWEEN 2 AND 3`);
    const rows = await expectIntact(org, 2);
    expect(rows.map((row) => row.chainSeq)).toEqual(["4", "5"]);
  });

  it.each([
    ["rows other than the oldest", "chain_seq = 2"],
    ["rows with a gap between them", "chain_seq IN (1, 3)"],
    ["a row inside the window", "chain_seq <= 4"],
    ["everything", "true"],
  ])("rejects %s", async (_, where) => {
    const org = await orgWithRows(500, 450, 400, 10);
    await expect(prune(`org_id = '${org}' AND ${where}`)).rejects.toMatchObject({ code: DENIED });
    await expectIntact(org, 4);
  });

  it("rejects an expired row after an unexpired one", async () => {
    const org = await orgWithRows(500, 10, 400);
    await expect(prune(`org_id = '${org}' AND chain_seq IN (1, 3)`)).rejects.toMatchObject({ code: DENIED });
    await expectIntact(org, 3);
  });

  it("rejects an organization without a policy", async () => {
    const org = randomUUID();
    await appendAudit(roles.app, [auditRow(org, { timestamp: daysAgo(5_000) })]);
    await expect(prune(`org_id = '${org}'`)).rejects.toThrow("has no retention policy");
    await expectIntact(org, 1);
  });

  it("rejects a call without the setting, and any other role with it", async () => {
    const org = await orgWithRows(500);
    await expect(prune(`org_id = '${org}'`, { setting: "" })).rejects.toThrow("without the setting");
    expect(await attempt(roles.app, `DELETE FROM audit_logs WHERE org_id = '${org}'`)).toBe(DENIED);
    expect(await attempt(roles.owner, `DELETE FROM audit_logs WHERE org_id = '${org}'`)).toBe(DENIED);
    await expectIntact(org, 1);
  });

  it("uses the organization's own retention window", async () => {
    const org = await orgWithRows(40, 20);
    await expect(prune(`org_id = '${org}' AND chain_seq = 1`)).rejects.toThrow("window of 365 days");
    await keepFor(org, 30);
    await prune(`org_id = '${org}' AND chain_seq = 1`);
    await expect(prune(`org_id = '${org}' AND chain_seq = 2`)).rejects.toThrow("window of 30 days");
    await expectIntact(org, 3);
  });

  it("writes one receipt per organization in a single DELETE", async () => {
    const orgs = [await orgWithRows(500, 1), await orgWithRows(600, 600, 1)];
    expect(await prune(`org_id IN ('${orgs[0]}', '${orgs[1]}') AND "timestamp" < now() - interval '400 days'`)).toBe(3);
    await expectIntact(orgs[0] as string, 2);
    await expectIntact(orgs[1] as string, 2);
  });

  it("rejects rows without a receipt and rows missing from the tree", async () => {
    const org = await orgWithRows(500, 500);
    await appendAudit(roles.app, auditRows(org, 300, { timestamp: daysAgo(450) }));
    await expect(prune(`org_id = '${org}' AND chain_seq <= 3`)).rejects.toThrow("no receipt permits");
    const now = new Date().toISOString();
    await signReceipt(org, { through: 300, before: now, ...FIRST_WINDOW, signedAt: now });
    await expect(prune(`org_id = '${org}' AND chain_seq <= 300`)).rejects.toThrow("the tree does not hold");
    await expectIntact(org, 302);
    expect(await prune(`org_id = '${org}' AND chain_seq <= 2`)).toBe(2);
  });

  it("leaves no trace after a rollback", async () => {
    const org = await orgWithRows(500, 1);
    const undone = roles.admin.begin(async (tx) => {
      await tx`SELECT set_config('trailmark.prune', 'on', true)`;
      await tx`DELETE FROM audit_logs WHERE org_id = ${org} AND chain_seq = 1`;
      throw new Undo();
    });
    await expect(undone).rejects.toThrow(Undo);
    await expectIntact(org, 2);
  });

  it("works while others write to the same organization", async () => {
    const org = await orgWithRows(...Array.from({ length: 300 }, () => 500));
    const write = async () => {
      for (let i = 0; i < 15; i++) {
        await appendAudit(roles.app, auditRows(org, 2));
        await inTenant([org], (tx) => insertRaw(tx, org));
      }
    };
    const cut = async () => {
      for (let first = 1; first <= 300; first += 60)
        await prune(`org_id = '${org}' AND chain_seq BETWEEN ${first} AND ${first + 59}`);
    };
    await Promise.all([write(), write(), write(), cut()]);
    await expectIntact(org, 3 * 15 * 3 + 5);
  });
});
