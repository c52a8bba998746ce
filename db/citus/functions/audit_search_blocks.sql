-- Where the tables are distributed, there are no blocks (audit_search_backlog).
CREATE OR REPLACE FUNCTION audit_search_blocks(
  p_orgs uuid[], p_probe jsonb, p_rough_only boolean, p_cap bigint
) RETURNS TABLE (org_id uuid, first_seq bigint, last_seq bigint, max_at timestamptz)
LANGUAGE sql STABLE ROWS 1000
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT NULL::uuid, 0::bigint, 0::bigint, NULL::timestamptz WHERE false
$$;

GRANT EXECUTE ON FUNCTION audit_search_blocks TO trailmark_app;
