import type postgres from "postgres";

/** Queries for lines about everything that migrations and function files create, in the schemas below. */
const CATALOGUES = {
  schema: `SELECT format('%s owner %s', n.nspname, n.nspowner::regrole) FROM pg_namespace n WHERE n.nspname = ANY ($1)`,
  table: `SELECT format('%s owner %s, kind %s%s, security %s %s, options %s, partition %s', c.oid::regclass,
      c.relowner::regrole, c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity, c.reloptions,
      pg_get_expr(c.relpartbound, c.oid))
    FROM pg_class c WHERE c.relnamespace::regnamespace::text = ANY ($1) AND c.relkind IN ('r', 'p', 'S', 'v')`,
  column: `SELECT format('%s.%s #%s %s, not null %s, default %s%s, storage %s, collation %s', c.oid::regclass, a.attname,
      row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum), format_type(a.atttypid, a.atttypmod), a.attnotnull,
      a.attgenerated, pg_get_expr(d.adbin, d.adrelid), a.attstorage, a.attcollation)
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace::regnamespace::text = ANY ($1) AND c.relkind IN ('r', 'p')`,
  constraint: `SELECT format('%s on %s: %s, deferrable %s %s, valid %s', k.conname, k.conrelid::regclass,
      pg_get_constraintdef(k.oid), k.condeferrable, k.condeferred, k.convalidated)
    FROM pg_constraint k WHERE k.connamespace::regnamespace::text = ANY ($1)
      AND k.contype <> 'n' -- since PostgreSQL 18, under names that depend on how the column came about; see column`,
  index: `SELECT format('%s valid %s', pg_get_indexdef(i.indexrelid), i.indisvalid)
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace::regnamespace::text = ANY ($1)`,
  trigger: `SELECT format('%s enabled %s', pg_get_triggerdef(t.oid), t.tgenabled)
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace::regnamespace::text = ANY ($1) AND NOT t.tgisinternal`,
  policy: `SELECT format('%s on %s.%s %s %s to %s using %s check %s', policyname, schemaname, tablename, permissive, cmd,
      roles, qual, with_check) FROM pg_policies WHERE schemaname = ANY ($1)`,
  function: `SELECT format('%s owner %s: %s', f.oid::regprocedure, f.proowner::regrole, pg_get_functiondef(f.oid))
    FROM pg_proc f WHERE f.pronamespace::regnamespace::text = ANY ($1)
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = f.oid AND d.deptype = 'e')`,
  type: `SELECT format('%s owner %s: %s', t.oid::regtype, t.typowner::regrole,
      ARRAY(SELECT e.enumlabel FROM pg_enum e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder))
    FROM pg_type t WHERE t.typnamespace::regnamespace::text = ANY ($1) AND t.typtype = 'e'`,
  extension: `SELECT extname FROM pg_extension WHERE extname <> ALL ($1)`,
  right: `SELECT format('%s: %s may %s, granted by %s%s', o.name, a.grantee::regrole, a.privilege_type, a.grantor::regrole,
      CASE WHEN a.is_grantable THEN ' with grant option' END)
    FROM (
      SELECT 'schema ' || nspname, coalesce(nspacl, acldefault('n', nspowner)) FROM pg_namespace WHERE nspname = ANY ($1)
      UNION ALL
      SELECT 'table ' || c.oid::regclass,
        coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))
      FROM pg_class c WHERE c.relnamespace::regnamespace::text = ANY ($1) AND c.relkind IN ('r', 'p', 'S', 'v')
      UNION ALL
      SELECT 'column ' || c.oid::regclass || '.' || a.attname, a.attacl
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace::regnamespace::text = ANY ($1) AND a.attacl IS NOT NULL
      UNION ALL
      SELECT 'function ' || f.oid::regprocedure, coalesce(f.proacl, acldefault('f', f.proowner))
      FROM pg_proc f WHERE f.pronamespace::regnamespace::text = ANY ($1)
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = f.oid AND d.deptype = 'e')) AS o(name, acl),
      LATERAL aclexplode(o.acl) AS a
    WHERE a.privilege_type <> 'MAINTAIN' -- new in PostgreSQL 17: unknown to older dumps`,
};
const SCHEMAS = ["public", "drizzle", "graphile_worker"];

/**
 * Contents of a database as sorted lines: schemas, tables, columns in order, constraints, indexes, triggers, policies,
 * functions with source and settings, types, extensions, owners and rights. For comparing two databases.
 */
export async function describeSchema(sql: postgres.Sql): Promise<string[]> {
  const lines: string[] = [];
  for (const [kind, query] of Object.entries(CATALOGUES)) {
    const rows = await sql.unsafe(query, [SCHEMAS]).values();
    lines.push(...rows.map(([line]) => `${kind} ${line}`));
  }
  return lines.sort();
}
