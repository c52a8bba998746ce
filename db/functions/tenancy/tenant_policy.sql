-- Row level security behind every query (not instead of its own condition): the application role sees and writes a row
-- only in a transaction whose tenant settings reach it, or in the platform's own. The settings are read through scalar
-- sub-selects, so once a statement; a setting that was local to an earlier transaction reads as '', hence NULLIF.
-- Migrations call it for their new tables. A change of this text reaches existing tables when a migration calls it
-- again.
CREATE OR REPLACE FUNCTION tenant_policy(
  p_table text, p_rows_of text DEFAULT 'organization', p_command text DEFAULT 'ALL'
) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  by_org text :=
    $sql$org_id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])$sql$;
  by_partner text :=
    $sql$partner_id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid)$sql$;
  reached text := CASE p_rows_of
    WHEN 'organization' THEN by_org
    WHEN 'partner' THEN by_partner
    WHEN 'organization or partner' THEN format('%s OR (org_id IS NULL AND %s)', by_org, by_partner)
  END;
BEGIN
  EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', p_table);
  EXECUTE format('DROP POLICY IF EXISTS %I ON %I', p_table || '_tenant', p_table);
  EXECUTE format(
    $sql$CREATE POLICY %I ON %I FOR %s TO trailmark_app
      USING ((SELECT current_setting('trailmark.scope', true)) = 'system' OR %s)$sql$,
    p_table || '_tenant', p_table, p_command, reached);
END
$$;
