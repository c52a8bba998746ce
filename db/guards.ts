import { readFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { installation } from "./citus/install";
import { isLater, type SqlFunction } from "./install-functions";
import { FOLDER, functionsOfVersion, isOfLater, readApplied } from "./version";

/**
 * Parses a function's file: its body as stored by the database, its settings, and the roles that may execute it. The
 * database keeps no text of expressions: readGuards() reads those.
 */
function declared({ text }: SqlFunction) {
  const [head = "", body = ""] = text.split("$$");
  const settings = [...head.matchAll(/^SET (\w+) = '?(.+?)'?$/gm)].map(([, name, value]) => `${name}=${value}`);
  const granted = [...text.matchAll(/^GRANT EXECUTE ON FUNCTION \w+ TO ([\w, ]+);/gm)].flatMap(([, roles = ""]) =>
    roles.split(", "),
  );
  const own = granted.filter((role) => role !== "CURRENT_USER");
  return { body, isDefiner: / SECURITY DEFINER/.test(head), settings: settings.sort(), granted: own.sort() };
}

type Installed = {
  name: string;
  body: string;
  isDefiner: boolean;
  settings: string[];
  granted: string[];
  owner: string;
};

/** Functions that differ from their files, with the difference. */
async function otherFunctions(sql: postgres.ISql, functions: readonly SqlFunction[]): Promise<string[]> {
  const installed = await sql<Installed[]>`
    SELECT p.proname AS name, p.prosrc AS body, p.prosecdef AS "isDefiner", p.proowner::regrole::text AS owner,
      ARRAY(SELECT s FROM unnest(p.proconfig) s ORDER BY s COLLATE "C") AS settings,
      ARRAY(
        SELECT coalesce(NULLIF(a.grantee, 0)::regrole::text, 'everybody') AS grantee
        FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
        WHERE a.grantee <> p.proowner AND a.grantee NOT IN (SELECT d.datdba FROM pg_database d WHERE d.datname = current_database())
        ORDER BY grantee) AS granted
    FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY (${functions.map(({ name }) => name)})`;
  return functions.flatMap((wanted) => {
    const found = installed.filter(({ name }) => name === wanted.name);
    const [one] = found;
    if (!one || found.length > 1) return [`function ${wanted.name} is ${one ? "there more than once" : "missing"}`];
    const { body, isDefiner, settings, granted } = declared(wanted);
    const other = [
      one.body !== body && "another body",
      one.owner !== "trailmark_sealer" && `the owner ${one.owner}`,
      (one.isDefiner !== isDefiner || one.settings.join() !== settings.join()) && "other settings",
      one.granted.join() !== granted.join() && `other rights (${one.granted.join(", ")})`,
    ].filter((what) => what !== false);
    return other.length > 0 ? [`function ${wanted.name} has ${other.join(", ")}`] : [];
  });
}

/** Tables of the log, its signatures and findings, and its retention; policies are created with an organization. */
const TABLES = [
  ...["audit_logs", "audit_chain_heads", "audit_tree_tiles", "audit_trees", "audit_notes"],
  ...["audit_verifications", "audit_alarms", "audit_retention_policies", "organizations"],
];
const OURS = ["trailmark_app", "trailmark_audit_admin", "trailmark_sealer", "-"];

/**
 * Triggers, rules, row-level security, policies and rights of the log's tables, and expression functions, one per line.
 * Additional roles of the operator may read, for backups.
 */
export async function readGuards(sql: postgres.ISql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    WITH tables AS (
      SELECT c.oid, c.relname, c.relowner, c.relacl, c.relrowsecurity, c.relforcerowsecurity
      FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
        AND c.relname = ANY (${TABLES}))
    SELECT line FROM (
      SELECT format('trigger %s: %s', t.tgenabled, pg_get_triggerdef(t.oid, true)) AS line
      FROM pg_trigger t JOIN tables c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
      UNION ALL
      SELECT format('function %s: %s', p.oid::regprocedure, translate(pg_get_function_sqlbody(p.oid), E'\n', ' '))
      FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prosqlbody IS NOT NULL AND p.proname NOT LIKE 'audit\\_search\\_%'
      UNION ALL
      SELECT format('rule %s: %s', r.ev_enabled, pg_get_ruledef(r.oid, true)) FROM pg_rewrite r JOIN tables c ON c.oid = r.ev_class
      UNION ALL
      SELECT format('row level security of %s: %s, forced: %s', c.relname, c.relrowsecurity, c.relforcerowsecurity) FROM tables c
      UNION ALL
      SELECT format('policy %s on %s: %s %s to %s using %s with check %s', p.polname, c.relname, p.polpermissive, p.polcmd, r.roles,
        pg_get_expr(p.polqual, p.polrelid, true), pg_get_expr(p.polwithcheck, p.polrelid, true))
      FROM pg_policy p
      JOIN tables c ON c.oid = p.polrelid
      CROSS JOIN LATERAL (SELECT array_agg(o::regrole::text ORDER BY o::regrole::text COLLATE "C") AS roles FROM unnest(p.polroles) o) r
      WHERE NOT (p.polpermissive AND p.polcmd = 'r') OR r.roles && ${OURS}
      UNION ALL
      SELECT format('%s on %s to %s', a.privilege_type, c.relname, g.role)
      FROM tables c
      CROSS JOIN LATERAL aclexplode(c.relacl) a
      CROSS JOIN LATERAL (SELECT a.grantee::regrole::text AS role) g
      WHERE a.grantee <> c.relowner AND (a.privilege_type <> 'SELECT' OR g.role = ANY (${OURS}))
      UNION ALL
      SELECT format('%s (%s) on %s to %s', a.privilege_type, t.attname, c.relname, g.role)
      FROM tables c
      JOIN pg_attribute t ON t.attrelid = c.oid
      CROSS JOIN LATERAL aclexplode(t.attacl) a
      CROSS JOIN LATERAL (SELECT a.grantee::regrole::text AS role) g
      WHERE a.grantee <> c.relowner AND (a.privilege_type <> 'SELECT' OR g.role = ANY (${OURS}))) guards
    ORDER BY line COLLATE "C"`;
  return rows.map(({ line }) => line);
}

let guards: string[] | undefined;

/** Guards of this version, as read from a new database by a test. Read once, like its functions. */
function guardsOfVersion(): string[] {
  guards ??= readFileSync(join(FOLDER, "guards.txt"), "utf8").trimEnd().split("\n");
  return guards;
}

/** True if a later version has migrated the database or installed functions; both may run side by side. */
async function isOfLaterVersion(sql: postgres.ISql, functions: readonly SqlFunction[]): Promise<boolean> {
  const installed = await sql<{ version: string }[]>`SELECT DISTINCT version FROM drizzle.installed_functions`;
  const own = functions[0]?.version ?? "";
  return isOfLater(await readApplied(sql)) || installed.some(({ version }) => isLater(version, own));
}

/** For a database migrated by another process to a later version. */
export const GUARDS_OF_LATER = "a later version has been here: its guards are not known to this one";

/**
 * Guards in the database that differ from this version's. Judged outside the database, because audit_chain_health() is
 * itself one of its functions. In a cluster each node judges its own triggers, policies and rights.
 */
export async function otherGuards(sql: postgres.ISql, { citus }: { citus: boolean }): Promise<string[]> {
  const own = installation(citus).functions(functionsOfVersion());
  if (await isOfLaterVersion(sql, own)) return [GUARDS_OF_LATER];
  const functions = await otherFunctions(sql, own);
  if (citus) return functions;
  const [wanted, found] = [new Set(guardsOfVersion()), new Set(await readGuards(sql))];
  const missing = [...wanted].filter((line) => !found.has(line)).map((line) => `missing: ${line}`);
  const more = [...found].filter((line) => !wanted.has(line)).map((line) => `not of this version: ${line}`);
  return [...functions, ...missing, ...more];
}
