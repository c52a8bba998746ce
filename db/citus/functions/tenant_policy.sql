-- tenant_policy() where tables are distributed: Citus takes no sub-selects in the policies of these, so the settings are
-- read for every row. Tables of the coordinator alone keep the form that reads them once a statement.
CREATE OR REPLACE FUNCTION tenant_policy(
  p_table text, p_rows_of text DEFAULT 'organization', p_command text DEFAULT 'ALL'
) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  is_distributed boolean := EXISTS (
    SELECT FROM pg_dist_partition d WHERE d.logicalrelid = to_regclass(quote_ident(p_table)));
  setting text := CASE WHEN is_distributed THEN '(%s)' ELSE '(SELECT %s)' END;
  scope text := format(setting, $sql$current_setting('trailmark.scope', true)$sql$);
  orgs text := format(setting, $sql$NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[]$sql$);
  partner text := format(setting, $sql$NULLIF(current_setting('trailmark.partner_id', true), '')::uuid$sql$);
  by_org text := format('org_id = ANY (%s::uuid[])', orgs);
  reached text := CASE p_rows_of
    WHEN 'organization' THEN by_org
    WHEN 'partner' THEN format('partner_id = %s', partner)
    WHEN 'organization or partner' THEN format('%s OR (org_id IS NULL AND partner_id = %s)', by_org, partner)
  END;
BEGIN
  EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', p_table);
  EXECUTE format('DROP POLICY IF EXISTS %I ON %I', p_table || '_tenant', p_table);
  EXECUTE format(
    $sql$CREATE POLICY %I ON %I FOR %s TO trailmark_app USING (%s = 'system' OR %s)$sql$,
    p_table || '_tenant', p_table, p_command, scope, reached);
END
$$;
