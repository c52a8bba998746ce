-- Faults of everything that the chain's guarantees depend on; empty if all is well. For /readyz and doctor.
CREATE OR REPLACE FUNCTION audit_chain_health() RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT coalesce(array_agg(fault ORDER BY fault), '{}')
  FROM (
    SELECT format('trigger %s on %s is missing or disabled', w.name, w.tab) AS fault
    FROM (VALUES
      ('audit_logs', 'audit_logs_seal'),
      ('audit_logs', 'audit_logs_no_update'),
      ('audit_logs', 'audit_logs_seal_once'),
      ('audit_logs', 'audit_logs_guard_delete'),
      ('audit_logs', 'audit_logs_prune'),
      ('audit_logs', 'audit_logs_no_truncate'),
      ('audit_chain_heads', 'audit_chain_heads_no_delete'),
      ('audit_chain_heads', 'audit_chain_heads_no_truncate'),
      ('audit_tree_tiles', 'audit_tree_tiles_no_change'),
      ('audit_tree_tiles', 'audit_tree_tiles_no_delete'),
      ('audit_trees', 'audit_trees_no_update'),
      ('audit_trees', 'audit_trees_no_delete'),
      ('audit_notes', 'audit_notes_no_change'),
      ('audit_notes', 'audit_notes_no_delete'),
      ('audit_notes', 'audit_notes_keep_receipts'),
      ('organizations', 'organizations_retention_policy'),
      ('organizations', 'organizations_device_log_policy')) AS w(tab, name)
    WHERE NOT EXISTS (
      SELECT FROM pg_trigger t
      WHERE t.tgrelid = to_regclass('public.' || w.tab) AND t.tgname = w.name AND t.tgenabled IN ('O', 'A'))
    UNION ALL
    SELECT format('row level security of %s is not forced', w.tab)
    FROM (VALUES
      ('audit_logs'), ('audit_chain_heads'), ('audit_retention_policies'),
      ('audit_tree_tiles'), ('audit_trees'), ('audit_notes')) AS w(tab)
    WHERE NOT EXISTS (
      SELECT FROM pg_class c
      WHERE c.oid = to_regclass('public.' || w.tab) AND c.relrowsecurity AND c.relforcerowsecurity)
    UNION ALL
    SELECT format('policy %s on %s is missing', w.name, w.tab)
    FROM (VALUES
      ('audit_logs', 'audit_logs_tenant'),
      ('audit_logs', 'audit_logs_sealer'),
      ('audit_logs', 'audit_logs_admin'),
      ('audit_chain_heads', 'audit_chain_heads_sealer'),
      ('audit_chain_heads', 'audit_chain_heads_admin'),
      ('audit_retention_policies', 'audit_retention_policies_tenant'),
      ('audit_retention_policies', 'audit_retention_policies_sealer'),
      ('audit_retention_policies', 'audit_retention_policies_admin'),
      ('audit_tree_tiles', 'audit_tree_tiles_tenant'),
      ('audit_tree_tiles', 'audit_tree_tiles_system'),
      ('audit_tree_tiles', 'audit_tree_tiles_sealer'),
      ('audit_trees', 'audit_trees_tenant'),
      ('audit_trees', 'audit_trees_system'),
      ('audit_trees', 'audit_trees_sealer'),
      ('audit_notes', 'audit_notes_tenant'),
      ('audit_notes', 'audit_notes_system'),
      ('audit_notes', 'audit_notes_sealer')) AS w(tab, name)
    WHERE NOT EXISTS (
      SELECT FROM pg_policy p WHERE p.polrelid = to_regclass('public.' || w.tab) AND p.polname = w.name)
    UNION ALL
    SELECT format('policy %s on audit_logs is not ours', p.polname)
    FROM pg_policy p
    WHERE p.polrelid = 'public.audit_logs'::regclass
      AND p.polname NOT IN ('audit_logs_tenant', 'audit_logs_sealer', 'audit_logs_admin', 'audit_logs_backup')
    UNION ALL
    SELECT format('function %s is missing, not owned by trailmark_sealer or without its security settings', w.name)
    FROM (VALUES
      ('audit_seal'), ('audit_seal_transaction'), ('audit_move_heads'), ('audit_append'), ('audit_prune'),
      ('audit_default_policy'), ('audit_set_retention'), ('audit_chain_heads_of'), ('audit_chain_health'),
      ('audit_thin_notes'), ('audit_repair_head')) AS w(name)
    WHERE NOT EXISTS (
      SELECT FROM pg_proc f
      WHERE f.pronamespace = 'public'::regnamespace AND f.proname = w.name
        AND f.prosecdef
        AND f.proowner = 'trailmark_sealer'::regrole
        AND f.proconfig @> ARRAY['search_path=pg_catalog, public, pg_temp'])
    UNION ALL
    SELECT format('function %s may be executed by everybody', f.proname)
    FROM pg_proc f
    WHERE f.pronamespace = 'public'::regnamespace AND f.proname LIKE 'audit\_%'
      AND EXISTS (
        SELECT FROM aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a
        WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE')
    UNION ALL
    SELECT format('trailmark_app has %s on %s', w.priv, w.tab)
    FROM (VALUES
      ('audit_logs', 'UPDATE'),
      ('audit_logs', 'DELETE'),
      ('audit_logs', 'TRUNCATE'),
      ('audit_logs', 'TRIGGER'),
      ('audit_chain_heads', 'INSERT'),
      ('audit_chain_heads', 'UPDATE'),
      ('audit_chain_heads', 'DELETE'),
      ('audit_chain_heads', 'TRUNCATE'),
      ('audit_retention_policies', 'UPDATE'),
      ('audit_retention_policies', 'DELETE'),
      ('audit_retention_policies', 'TRUNCATE'),
      ('audit_tree_tiles', 'UPDATE'),
      ('audit_tree_tiles', 'DELETE'),
      ('audit_tree_tiles', 'TRUNCATE'),
      ('audit_trees', 'UPDATE'),
      ('audit_trees', 'DELETE'),
      ('audit_trees', 'TRUNCATE'),
      ('audit_notes', 'UPDATE'),
      ('audit_notes', 'DELETE'),
      ('audit_notes', 'TRUNCATE')) AS w(tab, priv)
    WHERE has_table_privilege('trailmark_app', 'public.' || w.tab, w.priv)
    UNION ALL
    SELECT format('trailmark_app may write audit_logs.%s', w.col)
    FROM (VALUES ('chain_seq'), ('checksum'), ('prev_checksum'), ('seal_tx')) AS w(col)
    WHERE has_column_privilege('trailmark_app', 'public.audit_logs', w.col, 'INSERT')
      OR has_column_privilege('trailmark_app', 'public.audit_logs', w.col, 'UPDATE')
    UNION ALL
    SELECT format(
      'role %s is superuser, bypasses row level security or is a member of another one of ours', r.rolname)
    FROM pg_roles r
    WHERE r.rolname IN ('trailmark_app', 'trailmark_audit_admin', 'trailmark_sealer')
      AND (r.rolsuper OR r.rolbypassrls OR EXISTS (
        SELECT FROM pg_auth_members m
        WHERE m.member = r.oid AND m.roleid IN (
          'trailmark_app'::regrole, 'trailmark_audit_admin'::regrole, 'trailmark_sealer'::regrole)))
  ) faults
$$;

GRANT EXECUTE ON FUNCTION audit_chain_health TO trailmark_app, trailmark_audit_admin, CURRENT_USER;
