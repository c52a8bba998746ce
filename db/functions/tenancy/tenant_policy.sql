-- Row-level security behind every query (not instead of its own condition): the application role sees and writes a row
-- only in a transaction whose tenant settings reach it, or in the platform's own. Settings are read in scalar
-- subqueries, so once per statement; a setting local to an earlier transaction reads as '', hence NULLIF. Rows of
-- 'system' are only the platform's; rows of a 'person' are visible with the person. Migrations call it for their new
-- tables. A change of this text reaches existing tables when a migration calls it again.
CREATE OR REPLACE FUNCTION tenant_policy(
  p_table text, p_rows_of text DEFAULT 'organization', p_command text DEFAULT 'ALL'
) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  setting constant text := '(SELECT %s)';
  platform text;
  by_org text;
  by_partner text;
  name text := p_table || CASE p_rows_of WHEN 'system' THEN '_system' ELSE '_tenant' END;
BEGIN
  platform := format(setting || ' = ''system''', $sql$current_setting('trailmark.scope', true)$sql$);
  by_org := format(
    'org_id = ANY (%s::uuid[])',
    format(setting, $sql$NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[]$sql$));
  by_partner := format(
    'partner_id = %s', format(setting, $sql$NULLIF(current_setting('trailmark.partner_id', true), '')::uuid$sql$));
  EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', p_table);
  EXECUTE format('DROP POLICY IF EXISTS %I ON %I', name, p_table);
  EXECUTE format('CREATE POLICY %I ON %I FOR %s TO trailmark_app USING (%s)', name, p_table, p_command,
    CASE p_rows_of
      WHEN 'organization' THEN format('%s OR %s', platform, by_org)
      WHEN 'partner' THEN format('%s OR %s', platform, by_partner)
      WHEN 'organization or partner' THEN format('%s OR %s OR (org_id IS NULL AND %s)', platform, by_org, by_partner)
      WHEN 'person' THEN 'EXISTS (SELECT FROM users u WHERE u.id = user_id)'
      WHEN 'system' THEN platform
    END);
END
$$;
