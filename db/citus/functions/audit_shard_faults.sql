-- Faults of this node's shards compared with their table's guards: missing triggers, policies, forced row-level
-- security, and extra rights. A shard is a separate table, recreated when moved.
CREATE OR REPLACE FUNCTION audit_shard_faults() RETURNS text[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp
SET citus.override_table_visibility = off
AS $$
  WITH shards AS MATERIALIZED (
    SELECT d.logicalrelid AS tab, s.shardid, format('%s_%s', c.relname, s.shardid) AS name,
      to_regclass(format('public.%I', format('%s_%s', c.relname, s.shardid))) AS rel
    FROM pg_dist_partition d
    JOIN pg_class c ON c.oid = d.logicalrelid AND c.relnamespace = 'public'::regnamespace
    JOIN pg_dist_shard s ON s.logicalrelid = d.logicalrelid
    JOIN pg_dist_placement p ON p.shardid = s.shardid
    WHERE p.groupid = (SELECT groupid FROM pg_dist_local_group))
  SELECT coalesce(array_agg(fault ORDER BY fault), '{}')
  FROM (
    SELECT format('shard %s is missing', s.name) AS fault FROM shards s WHERE s.rel IS NULL
    UNION ALL
    SELECT format('trigger %s on shard %s is missing, disabled or another', t.tgname, s.name)
    FROM shards s
    JOIN pg_trigger t ON t.tgrelid = s.tab AND NOT t.tgisinternal AND t.tgname NOT LIKE 'truncate\_trigger%'
    WHERE s.rel IS NOT NULL AND NOT EXISTS (
      SELECT FROM pg_trigger o
      WHERE o.tgrelid = s.rel AND o.tgname = left(format('%s_%s', t.tgname, s.shardid), 63)
        AND o.tgfoid = t.tgfoid AND o.tgtype = t.tgtype AND o.tgenabled IN ('O', 'A'))
    UNION ALL
    SELECT format('row level security of shard %s is not forced', s.name)
    FROM shards s
    JOIN pg_class t ON t.oid = s.tab
    JOIN pg_class c ON c.oid = s.rel
    WHERE t.relforcerowsecurity AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
    UNION ALL
    SELECT format('policy %s on shard %s is missing or another', p.polname, s.name)
    FROM shards s
    JOIN pg_policy p ON p.polrelid = s.tab
    WHERE s.rel IS NOT NULL AND NOT EXISTS (
      SELECT FROM pg_policy o
      WHERE o.polrelid = s.rel AND o.polname = p.polname AND o.polcmd = p.polcmd AND o.polroles = p.polroles
        AND o.polpermissive = p.polpermissive
        AND pg_get_expr(o.polqual, o.polrelid) IS NOT DISTINCT FROM pg_get_expr(p.polqual, p.polrelid)
        AND pg_get_expr(o.polwithcheck, o.polrelid) IS NOT DISTINCT FROM pg_get_expr(p.polwithcheck, p.polrelid))
    UNION ALL
    SELECT format('policy %s on shard %s is not its table''s', o.polname, s.name)
    FROM shards s
    JOIN pg_policy o ON o.polrelid = s.rel
    WHERE NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = s.tab AND p.polname = o.polname)
    UNION ALL
    SELECT format('%s has %s on shard %s', coalesce(a.grantee::regrole::text, 'everybody'), a.privilege_type, s.name)
    FROM shards s
    JOIN pg_class c ON c.oid = s.rel
    JOIN pg_class t ON t.oid = s.tab
    CROSS JOIN LATERAL aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a
    WHERE NOT EXISTS (
      SELECT FROM aclexplode(coalesce(t.relacl, acldefault('r', t.relowner))) o
      WHERE o.grantee = a.grantee AND o.privilege_type = a.privilege_type)
    UNION ALL
    SELECT format('%s may %s %s of shard %s', a.grantee::regrole, a.privilege_type, c.attname, s.name)
    FROM shards s
    JOIN pg_attribute c ON c.attrelid = s.rel AND c.attacl IS NOT NULL
    CROSS JOIN LATERAL aclexplode(c.attacl) a
    WHERE NOT EXISTS (
      SELECT FROM pg_attribute t
      CROSS JOIN LATERAL aclexplode(t.attacl) o
      WHERE t.attrelid = s.tab AND t.attname = c.attname AND o.grantee = a.grantee
        AND o.privilege_type = a.privilege_type)
  ) faults
$$;

GRANT EXECUTE ON FUNCTION audit_shard_faults TO trailmark_app, trailmark_audit_admin, CURRENT_USER;
