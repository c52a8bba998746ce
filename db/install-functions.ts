import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type postgres from "postgres";

/** A file of db/functions: CREATE OR REPLACE of the function in its name, and its grants. */
export type SqlFunction = {
  name: string;
  text: string;
  checksum: string;
  /** Trailmark version that provides it. */
  version: string;
};

export const sqlFunction = (name: string, text: string, version: string): SqlFunction => ({
  name,
  text,
  checksum: createHash("sha256").update(text).digest("hex"),
  version,
});

const known = new Map<string, SqlFunction[]>();

/**
 * Functions below a folder, by name. Read once: a process keeps checking its own functions when a later version's files
 * are in its folder.
 */
export function readFunctions(folder: string, version: string): SqlFunction[] {
  const functions =
    known.get(folder) ??
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".sql"))
      .map((path) => sqlFunction(basename(path, ".sql"), readFileSync(join(folder, path), "utf8"), version))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  known.set(folder, functions);
  return functions;
}

/** Callees before callers: a body after RETURN is parsed at creation, and needs its callees. */
export function inCallOrder(functions: readonly SqlFunction[]): SqlFunction[] {
  const ordered: SqlFunction[] = [];
  const visited = new Set<SqlFunction>();
  const visit = (one: SqlFunction) => {
    if (visited.has(one)) return;
    visited.add(one);
    const code = one.text.replace(/--.*/g, "");
    for (const other of functions) if (code.includes(`${other.name}(`)) visit(other);
    ordered.push(one);
  };
  functions.forEach(visit);
  return ordered;
}

/** True if version a is later than version b, numerically. */
export function isLater(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => (version.match(/\d+/g) ?? []).map(Number));
  const at = left?.findIndex((n, i) => n !== right?.[i]) ?? -1;
  return at >= 0 && (left?.[at] ?? 0) > (right?.[at] ?? 0);
}

/**
 * Functions missing or different in the database. None if a later version was there: it may run beside this process,
 * and must not be downgraded.
 */
export async function staleFunctions(sql: postgres.ISql, functions: readonly SqlFunction[]): Promise<SqlFunction[]> {
  const installed = await sql<{ name: string; checksum: string; version: string }[]>`
    SELECT name, checksum, version FROM drizzle.installed_functions
    WHERE EXISTS (SELECT FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = name)`;
  if (installed.some((row) => functions.some(({ version }) => isLater(row.version, version)))) return [];
  const checksums = new Map(installed.map((row) => [row.name, row.checksum]));
  return functions.filter(({ name, checksum }) => checksums.get(name) !== checksum);
}

/**
 * Runs work that creates or names functions. trailmark_sealer owns all functions; only during this work is the
 * database's owner a member, with the right to create.
 */
export async function withSealer(tx: postgres.ISql, work: () => Promise<void>): Promise<void> {
  const [owner] = await tx<{ member: boolean }[]>`SELECT pg_has_role('trailmark_sealer', 'USAGE') AS member`;
  if (!owner?.member) await tx`GRANT trailmark_sealer TO CURRENT_USER`;
  await tx`GRANT CREATE ON SCHEMA public TO trailmark_sealer`;
  await work();
  await tx`REVOKE CREATE ON SCHEMA public FROM trailmark_sealer`;
  if (!owner?.member) await tx`REVOKE trailmark_sealer FROM CURRENT_USER`;
}

/**
 * Creates or replaces functions, inside withSealer(). Afterwards only the roles in its file may execute one, regardless
 * of earlier grants.
 * @throws PostgresError 42P13 for a changed signature: a migration has to drop the function first
 */
export async function installFunctions(tx: postgres.TransactionSql, functions: readonly SqlFunction[]): Promise<void> {
  for (const { name, text, checksum, version } of inCallOrder(functions)) {
    const [create = "", ...grants] = text.split(/^(?=GRANT )/m);
    await tx.unsafe(create);
    // Before the grants, because the new owner takes over the old one's.
    await tx`ALTER FUNCTION ${tx(name)} OWNER TO trailmark_sealer`;
    await tx`REVOKE ALL ON FUNCTION ${tx(name)} FROM PUBLIC, trailmark_app, trailmark_audit_admin, CURRENT_USER`;
    await tx.unsafe(grants.join(""));
    await tx`
      INSERT INTO drizzle.installed_functions (name, checksum, version) VALUES (${name}, ${checksum}, ${version})
      ON CONFLICT (name) DO UPDATE SET checksum = EXCLUDED.checksum, version = EXCLUDED.version`;
  }
}
