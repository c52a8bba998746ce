import { describe, expect, it } from "vitest";
import { roles } from "@/testing/chain";
import { otherGuards, readGuards } from "./guards";

class Undo extends Error {}

// npx vitest run db/guards.db.test.ts -u writes the file again after a migration.
it("the guards of a new database match the shipped list", async () => {
  await expect(`${(await readGuards(roles.app)).join("\n")}\n`).toMatchFileSnapshot("guards.txt");
  expect(await otherGuards(roles.app, { citus: false })).toEqual([]);
});

describe("a changed guard is detected from outside the database", () => {
  it.for<[string, string]>([
    [
      "CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS 'BEGIN RETURN NULL; END'",
      "function audit_refuse has another body",
    ],
    [
      "CREATE OR REPLACE FUNCTION audit_chain_health() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS 'SELECT ''{}''::text[]'",
      "function audit_chain_health has another body",
    ],
    ["ALTER FUNCTION audit_append_unsealed RESET ALL", "function audit_append_unsealed has other settings"],
    ["ALTER FUNCTION audit_prune OWNER TO CURRENT_USER", "function audit_prune has the owner"],
    ["GRANT EXECUTE ON FUNCTION audit_seal TO PUBLIC", "function audit_seal has other rights (everybody)"],
    [
      "CREATE FUNCTION audit_link(int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
      "function audit_link is there more than once",
    ],
    [
      "CREATE OR REPLACE FUNCTION audit_ms(at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 0",
      "missing: function audit_ms(timestamp with time zone): RETURN",
    ],
    [
      "ALTER TABLE audit_logs DISABLE TRIGGER audit_logs_seal",
      "missing: trigger O: CREATE CONSTRAINT TRIGGER audit_logs_seal",
    ],
    [
      "CREATE RULE mine AS ON INSERT TO audit_notes DO INSTEAD NOTHING",
      "not of this version: rule O: CREATE RULE mine",
    ],
    [
      "CREATE RULE mine AS ON INSERT TO audit_alarms DO INSTEAD NOTHING",
      "not of this version: rule O: CREATE RULE mine",
    ],
    [
      "CREATE POLICY mine ON audit_logs AS RESTRICTIVE FOR SELECT USING (false)",
      "not of this version: policy mine on audit_logs",
    ],
    ["ALTER POLICY audit_logs_sealer ON audit_logs USING (false)", "missing: policy audit_logs_sealer on audit_logs"],
    [
      "GRANT UPDATE (retention_days) ON audit_retention_policies TO trailmark_app",
      "UPDATE (retention_days) on audit_retention_policies to trailmark_app",
    ],
  ])("%s", async ([statement, fault]) => {
    const undone = roles.owner.begin(async (tx) => {
      await tx.unsafe(statement);
      expect((await otherGuards(tx, { citus: false })).join("\n")).toContain(fault);
      throw new Undo();
    });
    await expect(undone).rejects.toThrow(Undo);
  });
});
